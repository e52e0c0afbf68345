# SPDX-License-Identifier: MIT
# Written by bindings/generate.py from include/attopotts/*.h: change those, not this.
"""Signatures and constants of the C API."""
import enum
from ctypes import c_char_p, c_double, c_int, c_int64, c_uint64, c_void_p

ABI = 0  # of the headers that this was written from
DOTATTN_COLUMNS = 18
DOTATTN_TRANSITION_COLUMNS = 12
DOTATTN_SIM_COLUMNS = 19
DOTATTN_TOKENS_COLUMNS = 20
MISSING = 255
REPLICA_COLUMNS = 18
REPLICA_SIM_COLUMNS = 7
COMPARISON_ROWS = 3
COMPARISON_COLUMNS = 5


class WeightRule(enum.IntEnum):
    INCLUSIVE = 1
    STRICT = 2
    FLOOR = 3


class LogLevel(enum.IntEnum):
    INFO = 0
    WARNING = 1


class ProgressKey(enum.IntEnum):
    STEP = 0
    TOTAL = 1
    SECONDS = 2
    TRAIN_LOSS = 3
    TEST_LOSS = 4
    OPTIMAL_LOSS = 5
    COUPLING_ERROR = 6
    GRADIENT_NORM = 7
    RATE = 8
    SITE_UPDATES = 9
    ENERGY = 10
    SWAP_RATE = 11
    OBJECTIVE = 12


class DotattnBranch(enum.IntEnum):
    SEMANTIC = 1
    POSITIONAL = 2
    UNINFORMED = 3


class DotattnColumn(enum.IntEnum):
    BRANCH = 0
    OMEGA = 1
    ALPHA = 2
    Q = 3
    M = 4
    V = 5
    THETA = 6
    EG = 7
    ET = 8
    EG_LINEAR = 9
    ITERATIONS = 10
    RESIDUAL = 11
    OUTCOME = 12
    QUADRATURE = 13
    QHAT = 14
    MHAT = 15
    VHAT = 16
    THETAHAT = 17


class DotattnTransitionColumn(enum.IntEnum):
    OMEGA = 0
    ALPHA_C = 1
    ALPHA_LINEAR = 2
    SEMANTIC = 3
    POSITIONAL = 4
    POSITIONAL_END = 5
    ERROR_C = 6
    ERROR_LINEAR = 7
    EG_LINEAR = 8
    ET = 9
    ITERATIONS = 10
    OUTCOME = 11


class DotattnStart(enum.IntEnum):
    SEMANTIC = 1
    POSITIONAL = 2
    RANDOM = 3
    MIXED = 4


class DotattnSimColumn(enum.IntEnum):
    ALPHA = 0
    EG = 1
    EG_SEM = 2
    ET = 3
    ET_SEM = 4
    Q = 5
    Q_SEM = 6
    M = 7
    M_SEM = 8
    THETA = 9
    THETA_SEM = 10
    Q_LEAST = 11
    Q_LEAST_SEM = 12
    SEMANTIC = 13
    GRADIENT = 14
    STEPS = 15
    SAMPLES = 16
    RUNS = 17
    OUTCOME = 18


class DotattnTokensColumn(enum.IntEnum):
    ALPHA = 0
    EG = 1
    EG_SEM = 2
    ET = 3
    ET_SEM = 4
    Q = 5
    Q_SEM = 6
    M = 7
    M_SEM = 8
    THETA = 9
    THETA_SEM = 10
    Q_LEAST = 11
    Q_LEAST_SEM = 12
    V = 13
    V_SEM = 14
    ITERATIONS = 15
    RESIDUAL = 16
    POINTS = 17
    SHIFTS = 18
    OUTCOME = 19


class ModelFormat(enum.IntEnum):
    AUTO = 0
    HDF5 = 1
    PLMC = 2
    CCMPRED = 3
    ADABM = 4
    BMDCA = 5


class ScoreFormat(enum.IntEnum):
    CCMPRED = 1
    PLMC = 2


class Couplings(enum.IntEnum):
    GAUSSIAN = 1
    CONTACTS = 2


class ColorMatrix(enum.IntEnum):
    GAUSSIAN = 1
    IDENTITY = 2


class Gauge(enum.IntEnum):
    COLORS = 1
    ZERO_SUM = 2


class Option(enum.IntEnum):
    SEED = 100
    CHAINS = 101
    BETA = 102
    TEMPERATURES = 103
    BETA_HOT = 104
    SWAP_INTERVAL = 105
    HEADS = 201
    MAP = 202
    RANK = 203
    FIELDS = 204
    COLORS_FIXED = 205
    OBJECTIVE = 206
    OPTIMIZER = 207
    RATE = 208
    BATCH = 209
    EPOCHS = 210
    TOLERANCE = 211
    L2_COUPLINGS = 212
    L2_COLORS = 213
    L2_FIELDS = 214
    HISTORY = 215
    PRECISION = 216
    MOMENTUM = 217
    INIT_SCALE = 218
    FAMILY = 219
    ASYMMETRIC = 220
    GAPS = 221
    L2_SCALE = 222
    DIAGONAL = 240
    SCORES_SCALED = 241
    SYMMETRIZED = 242
    L2_PAIRS = 243
    ARCHITECTURE = 260
    BLOCKS = 261
    WIDTH = 262
    HIDDEN = 263
    POSITIONS = 264
    DIAL = 265
    UNKNOWN = 300
    COLORS = 301
    FORMAT = 302
    MAX_GAPS_SEQUENCE = 303
    MAX_GAPS_COLUMN = 304
    REMOVE_DUPLICATES = 305
    MAX_UNPACKED = 306


class Family(enum.IntEnum):
    FACTORED = 1
    DENSE = 2


class Gaps(enum.IntEnum):
    STATE = 1
    IGNORE = 2


class L2Scale(enum.IntEnum):
    ABSOLUTE = 1
    SITES = 2
    SITES_COLORS = 3
    WEIGHT = 4


class Map(enum.IntEnum):
    FREE = 1
    SOFTMAX = 2
    LOWRANK = 3


class Diagonal(enum.IntEnum):
    BEFORE = 1
    AFTER = 2


class Objective(enum.IntEnum):
    PSEUDOLIKELIHOOD = 1
    MLM = 2


class Optimizer(enum.IntEnum):
    LBFGS = 1
    SGD = 2
    ADAM = 3


class Architecture(enum.IntEnum):
    ENCODER = 1
    DIAL = 2


class Positions(enum.IntEnum):
    NONE = 0
    SINUSOIDAL = 1


class Format(enum.IntEnum):
    AUTO = 0
    HDF5 = 1
    FASTA = 2
    INTEGERS = 3
    A2M = 4
    A3M = 5
    STOCKHOLM = 6
    ALN = 7
    NAMED = 8


class Unknown(enum.IntEnum):
    GAP = 1
    DROP = 2
    ERROR = 3


class ReplicaColumn(enum.IntEnum):
    ALPHA = 0
    LAMBDA = 1
    EG = 2
    ET = 3
    RHO = 4
    Q = 5
    M = 6
    V = 7
    QHAT = 8
    MHAT = 9
    VHAT = 10
    KAPPA = 11
    NORM = 12
    FREE_ENERGY = 13
    ITERATIONS = 14
    RESIDUAL = 15
    OUTCOME = 16
    QUADRATURE = 17


class ReplicaSimColumn(enum.IntEnum):
    ALPHA = 0
    EG = 1
    EG_SEM = 2
    ET = 3
    ET_SEM = 4
    SAMPLES = 5
    REALISATIONS = 6


class ReplicaLoss(enum.IntEnum):
    SQUARE = 1
    HUBER = 2
    LOGISTIC = 3


class ScoreGauge(enum.IntEnum):
    ZERO_SUM = 1
    RAW = 2


class Absent(enum.IntEnum):
    EXCLUDED = 1
    COUNTED = 2


class ComparisonRow(enum.IntEnum):
    SITES = 0
    PAIRS = 1
    COVARIANCES = 2


class ComparisonColumn(enum.IntEnum):
    COUNT = 0
    PEARSON = 1
    SLOPE = 2
    RMS = 3
    LARGEST = 4


class Status(enum.IntEnum):
    OK = 0
    E_NULL = 10
    E_VALUE = 11
    E_SHAPE = 12
    E_NOT_FINITE = 13
    E_ALPHABET = 14
    E_SYMMETRY = 15
    E_CONFLICT = 16
    E_OPEN = 20
    E_READ = 21
    E_WRITE = 22
    E_FORMAT = 23
    E_CHECKSUM = 24
    E_OPTION = 40
    E_OPTION_RANGE = 41
    E_STAGE = 60
    E_UNSUPPORTED = 61
    E_MISMATCH = 62
    E_CALLBACK = 63
    E_MEMORY = 64
    E_TOO_LARGE = 65
    E_BUFFER = 70
    E_INTERNAL = 90


class Outcome(enum.IntEnum):
    NONE = 0
    CONVERGED = 1
    MAX_ITER = 2
    CANCELLED = 3
    DIVERGED = 4
    STALLED = 5


# name: (what it returns, what it takes)
SIGNATURES = {
        "atp_alignment_create": (c_int, [c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p]),
        "atp_alignment_read": (c_int, [c_void_p, c_char_p, c_char_p, c_void_p, c_void_p]),
        "atp_alignment_select": (c_int, [c_void_p, c_void_p, c_int64, c_int64, c_int64, c_void_p]),
        "atp_alignment_find": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_alignment_focus": (c_int, [c_void_p, c_void_p, c_char_p, c_void_p]),
        "atp_alignment_filter": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_alignment_destroy": (None, [c_void_p]),
        "atp_alignment_count": (c_int64, [c_void_p]),
        "atp_alignment_sites": (c_int64, [c_void_p]),
        "atp_alignment_colors": (c_int64, [c_void_p]),
        "atp_alignment_effective_count": (c_double, [c_void_p]),
        "atp_alignment_sequences_view": (c_void_p, [c_void_p]),
        "atp_alignment_weights_view": (c_void_p, [c_void_p]),
        "atp_alignment_set_weights": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_alignment_weigh": (c_int, [c_void_p, c_double, c_int]),
        "atp_alignment_auto_theta": (c_int, [c_void_p, c_void_p]),
        "atp_alignment_alphabet": (c_char_p, [c_void_p]),
        "atp_alignment_set_alphabet": (c_int, [c_void_p, c_char_p]),
        "atp_alignment_site_numbers_view": (c_void_p, [c_void_p]),
        "atp_alignment_site_residues": (c_char_p, [c_void_p]),
        "atp_alignment_set_sites": (c_int, [c_void_p, c_void_p, c_int64, c_char_p]),
        "atp_alignment_name": (c_char_p, [c_void_p, c_int64]),
        "atp_alignment_origin": (c_char_p, [c_void_p]),
        "atp_alignment_set_origin": (c_int, [c_void_p, c_char_p]),
        "atp_alignment_frequencies": (c_int, [c_void_p, c_double, c_void_p, c_int64]),
        "atp_alignment_pair_frequencies": (c_int, [c_void_p, c_double, c_void_p, c_int64]),
        "atp_alignment_covariances": (c_int, [c_void_p, c_double, c_void_p, c_int64]),
        "atp_alignment_independent_loss": (c_int, [c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_progress_value": (c_double, [c_void_p, c_int]),
        "atp_context_create": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_context_destroy": (None, [c_void_p]),
        "atp_context_set_threads": (c_int, [c_void_p, c_int64]),
        "atp_context_threads": (c_int64, [c_void_p]),
        "atp_context_set_simd": (c_int, [c_void_p, c_char_p]),
        "atp_context_simd": (c_char_p, [c_void_p]),
        "atp_simd_target": (c_char_p, [c_int64]),
        "atp_context_set_log": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_context_error": (c_int64, [c_void_p, c_void_p, c_int64]),
        "atp_context_memory": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_context_set_memory_limit": (c_int, [c_void_p, c_int64]),
        "atp_context_memory_limit": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_autocorrelation_time": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_void_p]),
        "atp_split_rhat": (c_int, [c_void_p, c_int64, c_int64, c_void_p]),
        "atp_hamming_histogram": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_void_p]),
        "atp_dotattn_column_name": (c_char_p, [c_int]),
        "atp_dotattn_column_find": (c_int, [c_char_p]),
        "atp_dotattn_transition_column_name": (c_char_p, [c_int]),
        "atp_dotattn_bytes": (c_int, [c_void_p, c_int64, c_void_p]),
        "atp_dotattn_curve": (c_int, [c_void_p, c_void_p, c_int64, c_double, c_double, c_double, c_int, c_void_p,
        c_int64, c_double, c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_dotattn_transition": (c_int, [c_void_p, c_void_p, c_int64, c_double, c_double, c_void_p, c_int64, c_double,
        c_int64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_dotattn_linear": (c_int, [c_void_p, c_int64, c_double, c_double, c_void_p, c_int64, c_void_p]),
        "atp_dotattn_sim_column_name": (c_char_p, [c_int]),
        "atp_dotattn_sim_column_find": (c_int, [c_char_p]),
        "atp_dotattn_simulate_bytes": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_int64, c_void_p, c_int64, c_int,
        c_int64, c_void_p]),
        "atp_dotattn_simulate": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_int64, c_int64, c_void_p,
        c_int64, c_double, c_double, c_double, c_void_p, c_int64, c_int, c_int, c_int64, c_double, c_double, c_int64,
        c_int64, c_uint64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_dotattn_tokens_column_name": (c_char_p, [c_int]),
        "atp_dotattn_tokens_column_find": (c_int, [c_char_p]),
        "atp_dotattn_tokens_bytes": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_int64, c_int64, c_void_p]),
        "atp_dotattn_tokens": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_int64, c_int64, c_void_p, c_int64,
        c_double, c_double, c_double, c_void_p, c_int64, c_int, c_int64, c_int64, c_uint64, c_double, c_int64, c_void_p,
        c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_input_open": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_input_destroy": (None, [c_void_p]),
        "atp_input_kind": (c_char_p, [c_void_p]),
        "atp_input_size": (c_int64, [c_void_p]),
        "atp_input_bytes_view": (c_void_p, [c_void_p]),
        "atp_input_alignment": (c_int, [c_void_p, c_char_p, c_void_p, c_void_p]),
        "atp_input_model": (c_int, [c_void_p, c_int, c_char_p, c_void_p]),
        "atp_input_scores_sites": (c_int, [c_void_p, c_void_p]),
        "atp_input_scores": (c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_void_p]),
        "atp_alignment_write": (c_int, [c_void_p, c_void_p, c_int, c_char_p]),
        "atp_model_write_as": (c_int, [c_void_p, c_void_p, c_void_p, c_int, c_char_p]),
        "atp_model_read_as": (c_int, [c_void_p, c_char_p, c_int, c_char_p, c_void_p]),
        "atp_scores_write": (c_int, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_char_p, c_int, c_char_p]),
        "atp_scores_sites": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_scores_read": (c_int, [c_void_p, c_char_p, c_void_p, c_int64, c_void_p, c_void_p]),
        "atp_model_write": (c_int, [c_void_p, c_void_p, c_char_p]),
        "atp_model_read": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_file_kind": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_file_write": (c_int, [c_void_p, c_char_p, c_void_p, c_int64]),
        "atp_file_writable": (c_int, [c_char_p, c_void_p]),
        "atp_file_size": (c_int, [c_void_p, c_char_p, c_void_p]),
        "atp_file_read": (c_int, [c_void_p, c_char_p, c_void_p, c_int64]),
        "atp_model_create_heads": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p, c_void_p,
        c_void_p]),
        "atp_model_create_dense_f64": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_model_create_dense_f32": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_model_create_random": (c_int, [c_void_p, c_int64, c_int64, c_int, c_int, c_int64, c_void_p]),
        "atp_model_copy": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_model_gauge": (c_int, [c_void_p, c_void_p, c_int, c_void_p]),
        "atp_model_destroy": (None, [c_void_p]),
        "atp_model_sites": (c_int64, [c_void_p]),
        "atp_model_colors": (c_int64, [c_void_p]),
        "atp_model_heads": (c_int64, [c_void_p]),
        "atp_model_has_fields": (c_int, [c_void_p]),
        "atp_model_is_symmetric": (c_int, [c_void_p]),
        "atp_model_beta": (c_double, [c_void_p]),
        "atp_model_set_beta": (c_int, [c_void_p, c_double]),
        "atp_model_alphabet": (c_char_p, [c_void_p]),
        "atp_model_set_alphabet": (c_int, [c_void_p, c_char_p]),
        "atp_model_site_numbers_view": (c_void_p, [c_void_p]),
        "atp_model_site_residues": (c_char_p, [c_void_p]),
        "atp_model_set_sites": (c_int, [c_void_p, c_void_p, c_int64, c_char_p]),
        "atp_model_maps": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_model_values": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_model_fields": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_model_couplings_f64": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_model_couplings_f32": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_model_conditionals": (c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_int64]),
        "atp_model_energies": (c_int, [c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_model_log_pseudolikelihoods": (c_int, [c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_model_loss": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_model_coupling_error": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_model_enumerate": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_options_create": (c_int, [c_void_p, c_void_p]),
        "atp_options_destroy": (None, [c_void_p]),
        "atp_options_reset": (c_int, [c_void_p]),
        "atp_options_set_i64": (c_int, [c_void_p, c_int, c_int64]),
        "atp_options_set_f64": (c_int, [c_void_p, c_int, c_double]),
        "atp_options_get_i64": (c_int, [c_void_p, c_int, c_void_p]),
        "atp_options_get_f64": (c_int, [c_void_p, c_int, c_void_p]),
        "atp_option_count": (c_int64, []),
        "atp_option_at": (c_int, [c_int64]),
        "atp_option_name": (c_char_p, [c_int]),
        "atp_option_from_name": (c_int, [c_char_p]),
        "atp_option_bounds": (c_int, [c_int, c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_replica_column_name": (c_char_p, [c_int]),
        "atp_replica_column_find": (c_int, [c_char_p]),
        "atp_replica_goe": (c_int, [c_int64, c_double, c_uint64, c_void_p, c_int64]),
        "atp_replica_mask_workspace": (c_int, [c_int64, c_void_p]),
        "atp_replica_mask_precision": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_void_p, c_int64,
        c_void_p, c_void_p, c_int64]),
        "atp_replica_mask_covariance": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_void_p, c_int64,
        c_void_p, c_void_p, c_int64]),
        "atp_replica_spectrum_workspace": (c_int, [c_int64, c_void_p]),
        "atp_replica_spectrum": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_int64, c_void_p,
        c_int64]),
        "atp_replica_square": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_double, c_void_p, c_int64, c_double,
        c_double, c_void_p, c_int64, c_void_p]),
        "atp_replica_square_saddle": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_double, c_void_p, c_int64,
        c_double, c_double, c_int64, c_void_p, c_int64, c_void_p]),
        "atp_replica_limit": (c_int, [c_double, c_void_p, c_int64, c_double, c_double, c_void_p, c_int64, c_void_p]),
        "atp_replica_simulate_bytes": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_double, c_int64, c_void_p]),
        "atp_replica_simulate": (c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_int64, c_double, c_void_p, c_int64,
        c_double, c_int64, c_uint64, c_void_p, c_void_p, c_void_p, c_int64, c_void_p]),
        "atp_replica_convex_workspace": (c_int, [c_void_p]),
        "atp_replica_convex": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_double, c_int, c_double, c_void_p,
        c_int64, c_double, c_int64, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p]),
        "atp_sampler_bytes": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_sampler_create": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_sampler_destroy": (None, [c_void_p]),
        "atp_sampler_chains": (c_int64, [c_void_p]),
        "atp_sampler_sites": (c_int64, [c_void_p]),
        "atp_sampler_temperatures": (c_int64, [c_void_p]),
        "atp_sampler_sweeps": (c_int64, [c_void_p]),
        "atp_sampler_betas": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_sampler_set_betas": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_sampler_swap_rates": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_sampler_start_random": (c_int, [c_void_p]),
        "atp_sampler_start_from": (c_int, [c_void_p, c_void_p, c_int64, c_int64]),
        "atp_sampler_sweep": (c_int, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_sampler_sample": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_int64, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p]),
        "atp_sampler_states": (c_int, [c_void_p, c_int64, c_void_p, c_int64]),
        "atp_sampler_energies": (c_int, [c_void_p, c_int64, c_void_p, c_int64]),
        "atp_sampler_request_stop": (None, [c_void_p]),
        "atp_sampler_state_bytes": (c_int64, [c_void_p]),
        "atp_sampler_save_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_sampler_load_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_tune_beta": (c_int, [c_void_p, c_void_p, c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_void_p,
        c_void_p, c_void_p, c_void_p]),
        "atp_model_frobenius": (c_int, [c_void_p, c_void_p, c_int, c_int64, c_void_p, c_int64]),
        "atp_scores_apc": (c_int, [c_void_p, c_int64, c_void_p, c_int64]),
        "atp_scores_rank": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_int64, c_void_p]),
        "atp_distances_read": (c_int, [c_void_p, c_char_p, c_void_p, c_int64, c_void_p, c_int64, c_void_p, c_void_p]),
        "atp_pairs_precision": (c_int, [c_void_p, c_int64, c_void_p, c_int64, c_double, c_int, c_void_p, c_void_p]),
        "atp_model_mutants": (c_int, [c_void_p, c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64]),
        "atp_statistics_compare": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_int64]),
        "atp_status_name": (c_char_p, [c_int]),
        "atp_status_string": (c_char_p, [c_int]),
        "atp_outcome_name": (c_char_p, [c_int]),
        "atp_last_error": (c_int64, [c_void_p, c_int64]),
        "atp_trainer_bytes": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p]),
        "atp_trainer_create": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_trainer_destroy": (None, [c_void_p]),
        "atp_trainer_set_values": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_trainer_set_test": (c_int, [c_void_p, c_void_p]),
        "atp_trainer_set_truth": (c_int, [c_void_p, c_void_p]),
        "atp_trainer_parameter_count": (c_int64, [c_void_p]),
        "atp_trainer_parameters": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_trainer_set_parameters": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_trainer_gradient": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p, c_int64]),
        "atp_trainer_masked_gradient": (c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_void_p, c_int64]),
        "atp_trainer_loss": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_trainer_start_wide": (c_int, [c_void_p, c_int64, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_trainer_start_from": (c_int, [c_void_p, c_void_p]),
        "atp_trainer_run": (c_int, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_trainer_epochs": (c_int64, [c_void_p]),
        "atp_trainer_request_stop": (None, [c_void_p]),
        "atp_trainer_model": (c_int, [c_void_p, c_void_p]),
        "atp_trainer_state_bytes": (c_int64, [c_void_p]),
        "atp_trainer_save_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_trainer_load_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_transformer_bytes": (c_int, [c_void_p, c_int64, c_int64, c_int64, c_void_p, c_void_p]),
        "atp_transformer_create": (c_int, [c_void_p, c_void_p, c_void_p, c_void_p]),
        "atp_transformer_destroy": (None, [c_void_p]),
        "atp_transformer_set_test": (c_int, [c_void_p, c_void_p]),
        "atp_transformer_set_truth": (c_int, [c_void_p, c_void_p]),
        "atp_transformer_parameter_count": (c_int64, [c_void_p]),
        "atp_transformer_parameters": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_transformer_set_parameters": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_transformer_part_count": (c_int64, [c_void_p]),
        "atp_transformer_part": (c_int, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_transformer_gradient": (c_int, [c_void_p, c_void_p, c_void_p, c_int64]),
        "atp_transformer_masked_gradient": (c_int, [c_void_p, c_void_p, c_int64, c_void_p, c_void_p, c_int64]),
        "atp_transformer_loss": (c_int, [c_void_p, c_void_p, c_void_p]),
        "atp_transformer_run": (c_int, [c_void_p, c_int64, c_void_p, c_void_p, c_void_p]),
        "atp_transformer_epochs": (c_int64, [c_void_p]),
        "atp_transformer_request_stop": (None, [c_void_p]),
        "atp_transformer_conditionals": (c_int, [c_void_p, c_void_p, c_int64, c_int64, c_void_p, c_int64]),
        "atp_transformer_model": (c_int, [c_void_p, c_void_p]),
        "atp_transformer_map_count": (c_int64, [c_void_p]),
        "atp_transformer_maps": (c_int, [c_void_p, c_void_p, c_void_p, c_int64]),
        "atp_transformer_state_bytes": (c_int64, [c_void_p]),
        "atp_transformer_save_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_transformer_load_state": (c_int, [c_void_p, c_void_p, c_int64]),
        "atp_version_number": (c_int, []),
        "atp_version_string": (c_char_p, []),
        "atp_abi_version": (c_int, []),
        "atp_has_feature": (c_int, [c_char_p]),
        "atp_blas_description": (c_char_p, []),
}
