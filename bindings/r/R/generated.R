# SPDX-License-Identifier: MIT
# Written by bindings/generate.py from include/attopotts/*.h: change those, not this.

.atp_weight_rule <- c(INCLUSIVE = 1L, STRICT = 2L, FLOOR = 3L)
.atp_log_level <- c(INFO = 0L, WARNING = 1L)
.atp_progress_key <- c(STEP = 0L, TOTAL = 1L, SECONDS = 2L, TRAIN_LOSS = 3L, TEST_LOSS = 4L, OPTIMAL_LOSS = 5L,
  COUPLING_ERROR = 6L, GRADIENT_NORM = 7L, RATE = 8L, SITE_UPDATES = 9L, ENERGY = 10L, SWAP_RATE = 11L, OBJECTIVE = 12L)
.atp_dotattn_branch <- c(SEMANTIC = 1L, POSITIONAL = 2L, UNINFORMED = 3L)
.atp_dotattn_column <- c(BRANCH = 0L, OMEGA = 1L, ALPHA = 2L, Q = 3L, M = 4L, V = 5L, THETA = 6L, EG = 7L, ET = 8L,
  EG_LINEAR = 9L, ITERATIONS = 10L, RESIDUAL = 11L, OUTCOME = 12L, QUADRATURE = 13L, QHAT = 14L, MHAT = 15L, VHAT = 16L,
  THETAHAT = 17L)
.atp_dotattn_transition_column <- c(OMEGA = 0L, ALPHA_C = 1L, ALPHA_LINEAR = 2L, SEMANTIC = 3L, POSITIONAL = 4L,
  POSITIONAL_END = 5L, ERROR_C = 6L, ERROR_LINEAR = 7L, EG_LINEAR = 8L, ET = 9L, ITERATIONS = 10L, OUTCOME = 11L)
.atp_dotattn_start <- c(SEMANTIC = 1L, POSITIONAL = 2L, RANDOM = 3L, MIXED = 4L)
.atp_dotattn_sim_column <- c(ALPHA = 0L, EG = 1L, EG_SEM = 2L, ET = 3L, ET_SEM = 4L, Q = 5L, Q_SEM = 6L, M = 7L,
  M_SEM = 8L, THETA = 9L, THETA_SEM = 10L, Q_LEAST = 11L, Q_LEAST_SEM = 12L, SEMANTIC = 13L, GRADIENT = 14L,
  STEPS = 15L, SAMPLES = 16L, RUNS = 17L, OUTCOME = 18L)
.atp_dotattn_tokens_column <- c(ALPHA = 0L, EG = 1L, EG_SEM = 2L, ET = 3L, ET_SEM = 4L, Q = 5L, Q_SEM = 6L, M = 7L,
  M_SEM = 8L, THETA = 9L, THETA_SEM = 10L, Q_LEAST = 11L, Q_LEAST_SEM = 12L, V = 13L, V_SEM = 14L, ITERATIONS = 15L,
  RESIDUAL = 16L, POINTS = 17L, SHIFTS = 18L, OUTCOME = 19L)
.atp_model_format <- c(AUTO = 0L, HDF5 = 1L, PLMC = 2L, CCMPRED = 3L, ADABM = 4L, BMDCA = 5L)
.atp_score_format <- c(CCMPRED = 1L, PLMC = 2L)
.atp_couplings <- c(GAUSSIAN = 1L, CONTACTS = 2L)
.atp_color_matrix <- c(GAUSSIAN = 1L, IDENTITY = 2L)
.atp_gauge <- c(COLORS = 1L, ZERO_SUM = 2L)
.atp_option <- c(SEED = 100L, CHAINS = 101L, BETA = 102L, TEMPERATURES = 103L, BETA_HOT = 104L, SWAP_INTERVAL = 105L,
  HEADS = 201L, MAP = 202L, RANK = 203L, FIELDS = 204L, COLORS_FIXED = 205L, OBJECTIVE = 206L, OPTIMIZER = 207L,
  RATE = 208L, BATCH = 209L, EPOCHS = 210L, TOLERANCE = 211L, L2_COUPLINGS = 212L, L2_COLORS = 213L, L2_FIELDS = 214L,
  HISTORY = 215L, PRECISION = 216L, MOMENTUM = 217L, INIT_SCALE = 218L, FAMILY = 219L, ASYMMETRIC = 220L, GAPS = 221L,
  L2_SCALE = 222L, DIAGONAL = 240L, SCORES_SCALED = 241L, SYMMETRIZED = 242L, L2_PAIRS = 243L, ARCHITECTURE = 260L,
  BLOCKS = 261L, WIDTH = 262L, HIDDEN = 263L, POSITIONS = 264L, DIAL = 265L, UNKNOWN = 300L, COLORS = 301L,
  FORMAT = 302L, MAX_GAPS_SEQUENCE = 303L, MAX_GAPS_COLUMN = 304L, REMOVE_DUPLICATES = 305L, MAX_UNPACKED = 306L)
.atp_family <- c(FACTORED = 1L, DENSE = 2L)
.atp_gaps <- c(STATE = 1L, IGNORE = 2L)
.atp_l2_scale <- c(ABSOLUTE = 1L, SITES = 2L, SITES_COLORS = 3L, WEIGHT = 4L)
.atp_map <- c(FREE = 1L, SOFTMAX = 2L, LOWRANK = 3L)
.atp_diagonal <- c(BEFORE = 1L, AFTER = 2L)
.atp_objective <- c(PSEUDOLIKELIHOOD = 1L, MLM = 2L)
.atp_optimizer <- c(LBFGS = 1L, SGD = 2L, ADAM = 3L)
.atp_architecture <- c(ENCODER = 1L, DIAL = 2L)
.atp_positions <- c(NONE = 0L, SINUSOIDAL = 1L)
.atp_format <- c(AUTO = 0L, HDF5 = 1L, FASTA = 2L, INTEGERS = 3L, A2M = 4L, A3M = 5L, STOCKHOLM = 6L, ALN = 7L,
  NAMED = 8L)
.atp_unknown <- c(GAP = 1L, DROP = 2L, ERROR = 3L)
.atp_replica_column <- c(ALPHA = 0L, LAMBDA = 1L, EG = 2L, ET = 3L, RHO = 4L, Q = 5L, M = 6L, V = 7L, QHAT = 8L,
  MHAT = 9L, VHAT = 10L, KAPPA = 11L, NORM = 12L, FREE_ENERGY = 13L, ITERATIONS = 14L, RESIDUAL = 15L, OUTCOME = 16L,
  QUADRATURE = 17L)
.atp_replica_sim_column <- c(ALPHA = 0L, EG = 1L, EG_SEM = 2L, ET = 3L, ET_SEM = 4L, SAMPLES = 5L, REALISATIONS = 6L)
.atp_replica_loss <- c(SQUARE = 1L, HUBER = 2L, LOGISTIC = 3L)
.atp_score_gauge <- c(ZERO_SUM = 1L, RAW = 2L)
.atp_absent <- c(EXCLUDED = 1L, COUNTED = 2L)
.atp_comparison_row <- c(SITES = 0L, PAIRS = 1L, COVARIANCES = 2L)
.atp_comparison_column <- c(COUNT = 0L, PEARSON = 1L, SLOPE = 2L, RMS = 3L, LARGEST = 4L)
.atp_status <- c(OK = 0L, E_NULL = 10L, E_VALUE = 11L, E_SHAPE = 12L, E_NOT_FINITE = 13L, E_ALPHABET = 14L,
  E_SYMMETRY = 15L, E_CONFLICT = 16L, E_OPEN = 20L, E_READ = 21L, E_WRITE = 22L, E_FORMAT = 23L, E_CHECKSUM = 24L,
  E_OPTION = 40L, E_OPTION_RANGE = 41L, E_STAGE = 60L, E_UNSUPPORTED = 61L, E_MISMATCH = 62L, E_CALLBACK = 63L,
  E_MEMORY = 64L, E_TOO_LARGE = 65L, E_BUFFER = 70L, E_INTERNAL = 90L)
.atp_outcome <- c(NONE = 0L, CONVERGED = 1L, MAX_ITER = 2L, CANCELLED = 3L, DIVERGED = 4L, STALLED = 5L)
.atp_dotattn_columns <- 18L
.atp_dotattn_transition_columns <- 12L
.atp_dotattn_sim_columns <- 19L
.atp_dotattn_tokens_columns <- 20L
.atp_missing <- 255L
.atp_replica_columns <- 18L
.atp_replica_sim_columns <- 7L
.atp_comparison_rows <- 3L
.atp_comparison_columns <- 5L
.atp_abi <- 0L
