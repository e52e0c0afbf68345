! SPDX-License-Identifier: MIT
! Written by bindings/generate.py from include/attopotts/*.h: change those, not this.
!> Constants of the C API. Columns and rows of arrays count from 1 here: rows(ATP_REPLICA_EG, k).
module attopotts_constants
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  public
  integer(c_int), parameter :: ATP_HEADERS_ABI = 0  ! of the headers that this was written from
  integer(c_int), parameter :: ATP_WEIGHTS_INCLUSIVE = 1
  integer(c_int), parameter :: ATP_WEIGHTS_STRICT = 2
  integer(c_int), parameter :: ATP_WEIGHTS_FLOOR = 3
  integer(c_int), parameter :: ATP_LOG_INFO = 0
  integer(c_int), parameter :: ATP_LOG_WARNING = 1
  integer(c_int), parameter :: ATP_PROGRESS_STEP = 0
  integer(c_int), parameter :: ATP_PROGRESS_TOTAL = 1
  integer(c_int), parameter :: ATP_PROGRESS_SECONDS = 2
  integer(c_int), parameter :: ATP_PROGRESS_TRAIN_LOSS = 3
  integer(c_int), parameter :: ATP_PROGRESS_TEST_LOSS = 4
  integer(c_int), parameter :: ATP_PROGRESS_OPTIMAL_LOSS = 5
  integer(c_int), parameter :: ATP_PROGRESS_COUPLING_ERROR = 6
  integer(c_int), parameter :: ATP_PROGRESS_GRADIENT_NORM = 7
  integer(c_int), parameter :: ATP_PROGRESS_RATE = 8
  integer(c_int), parameter :: ATP_PROGRESS_SITE_UPDATES = 9
  integer(c_int), parameter :: ATP_PROGRESS_ENERGY = 10
  integer(c_int), parameter :: ATP_PROGRESS_SWAP_RATE = 11
  integer(c_int), parameter :: ATP_PROGRESS_OBJECTIVE = 12
  integer(c_int), parameter :: ATP_DOTATTN_SEMANTIC = 1
  integer(c_int), parameter :: ATP_DOTATTN_POSITIONAL = 2
  integer(c_int), parameter :: ATP_DOTATTN_UNINFORMED = 3
  integer(c_int), parameter :: ATP_DOTATTN_BRANCH = 1
  integer(c_int), parameter :: ATP_DOTATTN_OMEGA = 2
  integer(c_int), parameter :: ATP_DOTATTN_ALPHA = 3
  integer(c_int), parameter :: ATP_DOTATTN_Q = 4
  integer(c_int), parameter :: ATP_DOTATTN_M = 5
  integer(c_int), parameter :: ATP_DOTATTN_V = 6
  integer(c_int), parameter :: ATP_DOTATTN_THETA = 7
  integer(c_int), parameter :: ATP_DOTATTN_EG = 8
  integer(c_int), parameter :: ATP_DOTATTN_ET = 9
  integer(c_int), parameter :: ATP_DOTATTN_EG_LINEAR = 10
  integer(c_int), parameter :: ATP_DOTATTN_ITERATIONS = 11
  integer(c_int), parameter :: ATP_DOTATTN_RESIDUAL = 12
  integer(c_int), parameter :: ATP_DOTATTN_OUTCOME = 13
  integer(c_int), parameter :: ATP_DOTATTN_QUADRATURE = 14
  integer(c_int), parameter :: ATP_DOTATTN_QHAT = 15
  integer(c_int), parameter :: ATP_DOTATTN_MHAT = 16
  integer(c_int), parameter :: ATP_DOTATTN_VHAT = 17
  integer(c_int), parameter :: ATP_DOTATTN_THETAHAT = 18
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_OMEGA = 1
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ALPHA_C = 2
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ALPHA_LINEAR = 3
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_SEMANTIC = 4
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_POSITIONAL = 5
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_POSITIONAL_END = 6
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ERROR_C = 7
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ERROR_LINEAR = 8
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_EG_LINEAR = 9
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ET = 10
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_ITERATIONS = 11
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_OUTCOME = 12
  integer(c_int), parameter :: ATP_DOTATTN_START_SEMANTIC = 1
  integer(c_int), parameter :: ATP_DOTATTN_START_POSITIONAL = 2
  integer(c_int), parameter :: ATP_DOTATTN_START_RANDOM = 3
  integer(c_int), parameter :: ATP_DOTATTN_START_MIXED = 4
  integer(c_int), parameter :: ATP_DOTATTN_SIM_ALPHA = 1
  integer(c_int), parameter :: ATP_DOTATTN_SIM_EG = 2
  integer(c_int), parameter :: ATP_DOTATTN_SIM_EG_SEM = 3
  integer(c_int), parameter :: ATP_DOTATTN_SIM_ET = 4
  integer(c_int), parameter :: ATP_DOTATTN_SIM_ET_SEM = 5
  integer(c_int), parameter :: ATP_DOTATTN_SIM_Q = 6
  integer(c_int), parameter :: ATP_DOTATTN_SIM_Q_SEM = 7
  integer(c_int), parameter :: ATP_DOTATTN_SIM_M = 8
  integer(c_int), parameter :: ATP_DOTATTN_SIM_M_SEM = 9
  integer(c_int), parameter :: ATP_DOTATTN_SIM_THETA = 10
  integer(c_int), parameter :: ATP_DOTATTN_SIM_THETA_SEM = 11
  integer(c_int), parameter :: ATP_DOTATTN_SIM_Q_LEAST = 12
  integer(c_int), parameter :: ATP_DOTATTN_SIM_Q_LEAST_SEM = 13
  integer(c_int), parameter :: ATP_DOTATTN_SIM_SEMANTIC = 14
  integer(c_int), parameter :: ATP_DOTATTN_SIM_GRADIENT = 15
  integer(c_int), parameter :: ATP_DOTATTN_SIM_STEPS = 16
  integer(c_int), parameter :: ATP_DOTATTN_SIM_SAMPLES = 17
  integer(c_int), parameter :: ATP_DOTATTN_SIM_RUNS = 18
  integer(c_int), parameter :: ATP_DOTATTN_SIM_OUTCOME = 19
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_ALPHA = 1
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_EG = 2
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_EG_SEM = 3
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_ET = 4
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_ET_SEM = 5
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_Q = 6
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_Q_SEM = 7
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_M = 8
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_M_SEM = 9
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_THETA = 10
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_THETA_SEM = 11
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_Q_LEAST = 12
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_Q_LEAST_SEM = 13
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_V = 14
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_V_SEM = 15
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_ITERATIONS = 16
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_RESIDUAL = 17
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_POINTS = 18
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_SHIFTS = 19
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_OUTCOME = 20
  integer(c_int), parameter :: ATP_MODEL_AUTO = 0
  integer(c_int), parameter :: ATP_MODEL_HDF5 = 1
  integer(c_int), parameter :: ATP_MODEL_PLMC = 2
  integer(c_int), parameter :: ATP_MODEL_CCMPRED = 3
  integer(c_int), parameter :: ATP_MODEL_ADABM = 4
  integer(c_int), parameter :: ATP_MODEL_BMDCA = 5
  integer(c_int), parameter :: ATP_SCORES_CCMPRED = 1
  integer(c_int), parameter :: ATP_SCORES_PLMC = 2
  integer(c_int), parameter :: ATP_COUPLINGS_GAUSSIAN = 1
  integer(c_int), parameter :: ATP_COUPLINGS_CONTACTS = 2
  integer(c_int), parameter :: ATP_COLOR_MATRIX_GAUSSIAN = 1
  integer(c_int), parameter :: ATP_COLOR_MATRIX_IDENTITY = 2
  integer(c_int), parameter :: ATP_GAUGE_COLORS = 1
  integer(c_int), parameter :: ATP_GAUGE_ZERO_SUM = 2
  integer(c_int), parameter :: ATP_OPT_SEED = 100
  integer(c_int), parameter :: ATP_OPT_CHAINS = 101
  integer(c_int), parameter :: ATP_OPT_BETA = 102
  integer(c_int), parameter :: ATP_OPT_TEMPERATURES = 103
  integer(c_int), parameter :: ATP_OPT_BETA_HOT = 104
  integer(c_int), parameter :: ATP_OPT_SWAP_INTERVAL = 105
  integer(c_int), parameter :: ATP_OPT_HEADS = 201
  integer(c_int), parameter :: ATP_OPT_MAP = 202
  integer(c_int), parameter :: ATP_OPT_RANK = 203
  integer(c_int), parameter :: ATP_OPT_FIELDS = 204
  integer(c_int), parameter :: ATP_OPT_COLORS_FIXED = 205
  integer(c_int), parameter :: ATP_OPT_OBJECTIVE = 206
  integer(c_int), parameter :: ATP_OPT_OPTIMIZER = 207
  integer(c_int), parameter :: ATP_OPT_RATE = 208
  integer(c_int), parameter :: ATP_OPT_BATCH = 209
  integer(c_int), parameter :: ATP_OPT_EPOCHS = 210
  integer(c_int), parameter :: ATP_OPT_TOLERANCE = 211
  integer(c_int), parameter :: ATP_OPT_L2_COUPLINGS = 212
  integer(c_int), parameter :: ATP_OPT_L2_COLORS = 213
  integer(c_int), parameter :: ATP_OPT_L2_FIELDS = 214
  integer(c_int), parameter :: ATP_OPT_HISTORY = 215
  integer(c_int), parameter :: ATP_OPT_PRECISION = 216
  integer(c_int), parameter :: ATP_OPT_MOMENTUM = 217
  integer(c_int), parameter :: ATP_OPT_INIT_SCALE = 218
  integer(c_int), parameter :: ATP_OPT_FAMILY = 219
  integer(c_int), parameter :: ATP_OPT_ASYMMETRIC = 220
  integer(c_int), parameter :: ATP_OPT_GAPS = 221
  integer(c_int), parameter :: ATP_OPT_L2_SCALE = 222
  integer(c_int), parameter :: ATP_OPT_DIAGONAL = 240
  integer(c_int), parameter :: ATP_OPT_SCORES_SCALED = 241
  integer(c_int), parameter :: ATP_OPT_SYMMETRIZED = 242
  integer(c_int), parameter :: ATP_OPT_L2_PAIRS = 243
  integer(c_int), parameter :: ATP_OPT_ARCHITECTURE = 260
  integer(c_int), parameter :: ATP_OPT_BLOCKS = 261
  integer(c_int), parameter :: ATP_OPT_WIDTH = 262
  integer(c_int), parameter :: ATP_OPT_HIDDEN = 263
  integer(c_int), parameter :: ATP_OPT_POSITIONS = 264
  integer(c_int), parameter :: ATP_OPT_DIAL = 265
  integer(c_int), parameter :: ATP_OPT_UNKNOWN = 300
  integer(c_int), parameter :: ATP_OPT_COLORS = 301
  integer(c_int), parameter :: ATP_OPT_FORMAT = 302
  integer(c_int), parameter :: ATP_OPT_MAX_GAPS_SEQUENCE = 303
  integer(c_int), parameter :: ATP_OPT_MAX_GAPS_COLUMN = 304
  integer(c_int), parameter :: ATP_OPT_REMOVE_DUPLICATES = 305
  integer(c_int), parameter :: ATP_OPT_MAX_UNPACKED = 306
  integer(c_int), parameter :: ATP_FAMILY_FACTORED = 1
  integer(c_int), parameter :: ATP_FAMILY_DENSE = 2
  integer(c_int), parameter :: ATP_GAPS_STATE = 1
  integer(c_int), parameter :: ATP_GAPS_IGNORE = 2
  integer(c_int), parameter :: ATP_L2_ABSOLUTE = 1
  integer(c_int), parameter :: ATP_L2_SITES = 2
  integer(c_int), parameter :: ATP_L2_SITES_COLORS = 3
  integer(c_int), parameter :: ATP_L2_WEIGHT = 4
  integer(c_int), parameter :: ATP_MAP_FREE = 1
  integer(c_int), parameter :: ATP_MAP_SOFTMAX = 2
  integer(c_int), parameter :: ATP_MAP_LOWRANK = 3
  integer(c_int), parameter :: ATP_DIAGONAL_BEFORE = 1
  integer(c_int), parameter :: ATP_DIAGONAL_AFTER = 2
  integer(c_int), parameter :: ATP_OBJECTIVE_PSEUDOLIKELIHOOD = 1
  integer(c_int), parameter :: ATP_OBJECTIVE_MLM = 2
  integer(c_int), parameter :: ATP_OPTIMIZER_LBFGS = 1
  integer(c_int), parameter :: ATP_OPTIMIZER_SGD = 2
  integer(c_int), parameter :: ATP_OPTIMIZER_ADAM = 3
  integer(c_int), parameter :: ATP_ARCHITECTURE_ENCODER = 1
  integer(c_int), parameter :: ATP_ARCHITECTURE_DIAL = 2
  integer(c_int), parameter :: ATP_POSITIONS_NONE = 0
  integer(c_int), parameter :: ATP_POSITIONS_SINUSOIDAL = 1
  integer(c_int), parameter :: ATP_FORMAT_AUTO = 0
  integer(c_int), parameter :: ATP_FORMAT_HDF5 = 1
  integer(c_int), parameter :: ATP_FORMAT_FASTA = 2
  integer(c_int), parameter :: ATP_FORMAT_INTEGERS = 3
  integer(c_int), parameter :: ATP_FORMAT_A2M = 4
  integer(c_int), parameter :: ATP_FORMAT_A3M = 5
  integer(c_int), parameter :: ATP_FORMAT_STOCKHOLM = 6
  integer(c_int), parameter :: ATP_FORMAT_ALN = 7
  integer(c_int), parameter :: ATP_FORMAT_NAMED = 8
  integer(c_int), parameter :: ATP_UNKNOWN_GAP = 1
  integer(c_int), parameter :: ATP_UNKNOWN_DROP = 2
  integer(c_int), parameter :: ATP_UNKNOWN_ERROR = 3
  integer(c_int), parameter :: ATP_REPLICA_ALPHA = 1
  integer(c_int), parameter :: ATP_REPLICA_LAMBDA = 2
  integer(c_int), parameter :: ATP_REPLICA_EG = 3
  integer(c_int), parameter :: ATP_REPLICA_ET = 4
  integer(c_int), parameter :: ATP_REPLICA_RHO = 5
  integer(c_int), parameter :: ATP_REPLICA_Q = 6
  integer(c_int), parameter :: ATP_REPLICA_M = 7
  integer(c_int), parameter :: ATP_REPLICA_V = 8
  integer(c_int), parameter :: ATP_REPLICA_QHAT = 9
  integer(c_int), parameter :: ATP_REPLICA_MHAT = 10
  integer(c_int), parameter :: ATP_REPLICA_VHAT = 11
  integer(c_int), parameter :: ATP_REPLICA_KAPPA = 12
  integer(c_int), parameter :: ATP_REPLICA_NORM = 13
  integer(c_int), parameter :: ATP_REPLICA_FREE_ENERGY = 14
  integer(c_int), parameter :: ATP_REPLICA_ITERATIONS = 15
  integer(c_int), parameter :: ATP_REPLICA_RESIDUAL = 16
  integer(c_int), parameter :: ATP_REPLICA_OUTCOME = 17
  integer(c_int), parameter :: ATP_REPLICA_QUADRATURE = 18
  integer(c_int), parameter :: ATP_REPLICA_SIM_ALPHA = 1
  integer(c_int), parameter :: ATP_REPLICA_SIM_EG = 2
  integer(c_int), parameter :: ATP_REPLICA_SIM_EG_SEM = 3
  integer(c_int), parameter :: ATP_REPLICA_SIM_ET = 4
  integer(c_int), parameter :: ATP_REPLICA_SIM_ET_SEM = 5
  integer(c_int), parameter :: ATP_REPLICA_SIM_SAMPLES = 6
  integer(c_int), parameter :: ATP_REPLICA_SIM_REALISATIONS = 7
  integer(c_int), parameter :: ATP_REPLICA_LOSS_SQUARE = 1
  integer(c_int), parameter :: ATP_REPLICA_LOSS_HUBER = 2
  integer(c_int), parameter :: ATP_REPLICA_LOSS_LOGISTIC = 3
  integer(c_int), parameter :: ATP_SCORE_ZERO_SUM = 1
  integer(c_int), parameter :: ATP_SCORE_RAW = 2
  integer(c_int), parameter :: ATP_ABSENT_EXCLUDED = 1
  integer(c_int), parameter :: ATP_ABSENT_COUNTED = 2
  integer(c_int), parameter :: ATP_COMPARISON_SITES = 1
  integer(c_int), parameter :: ATP_COMPARISON_PAIRS = 2
  integer(c_int), parameter :: ATP_COMPARISON_COVARIANCES = 3
  integer(c_int), parameter :: ATP_COMPARISON_COUNT = 1
  integer(c_int), parameter :: ATP_COMPARISON_PEARSON = 2
  integer(c_int), parameter :: ATP_COMPARISON_SLOPE = 3
  integer(c_int), parameter :: ATP_COMPARISON_RMS = 4
  integer(c_int), parameter :: ATP_COMPARISON_LARGEST = 5
  integer(c_int), parameter :: ATP_OK = 0
  integer(c_int), parameter :: ATP_E_NULL = 10
  integer(c_int), parameter :: ATP_E_VALUE = 11
  integer(c_int), parameter :: ATP_E_SHAPE = 12
  integer(c_int), parameter :: ATP_E_NOT_FINITE = 13
  integer(c_int), parameter :: ATP_E_ALPHABET = 14
  integer(c_int), parameter :: ATP_E_SYMMETRY = 15
  integer(c_int), parameter :: ATP_E_CONFLICT = 16
  integer(c_int), parameter :: ATP_E_OPEN = 20
  integer(c_int), parameter :: ATP_E_READ = 21
  integer(c_int), parameter :: ATP_E_WRITE = 22
  integer(c_int), parameter :: ATP_E_FORMAT = 23
  integer(c_int), parameter :: ATP_E_CHECKSUM = 24
  integer(c_int), parameter :: ATP_E_OPTION = 40
  integer(c_int), parameter :: ATP_E_OPTION_RANGE = 41
  integer(c_int), parameter :: ATP_E_STAGE = 60
  integer(c_int), parameter :: ATP_E_UNSUPPORTED = 61
  integer(c_int), parameter :: ATP_E_MISMATCH = 62
  integer(c_int), parameter :: ATP_E_CALLBACK = 63
  integer(c_int), parameter :: ATP_E_MEMORY = 64
  integer(c_int), parameter :: ATP_E_TOO_LARGE = 65
  integer(c_int), parameter :: ATP_E_BUFFER = 70
  integer(c_int), parameter :: ATP_E_INTERNAL = 90
  integer(c_int), parameter :: ATP_OUTCOME_NONE = 0
  integer(c_int), parameter :: ATP_OUTCOME_CONVERGED = 1
  integer(c_int), parameter :: ATP_OUTCOME_MAX_ITER = 2
  integer(c_int), parameter :: ATP_OUTCOME_CANCELLED = 3
  integer(c_int), parameter :: ATP_OUTCOME_DIVERGED = 4
  integer(c_int), parameter :: ATP_OUTCOME_STALLED = 5
  integer(c_int), parameter :: ATP_DOTATTN_COLUMNS = 18
  integer(c_int), parameter :: ATP_DOTATTN_TRANSITION_COLUMNS = 12
  integer(c_int), parameter :: ATP_DOTATTN_SIM_COLUMNS = 19
  integer(c_int), parameter :: ATP_DOTATTN_TOKENS_COLUMNS = 20
  integer(c_int), parameter :: ATP_MISSING = 255
  integer(c_int), parameter :: ATP_REPLICA_COLUMNS = 18
  integer(c_int), parameter :: ATP_REPLICA_SIM_COLUMNS = 7
  integer(c_int), parameter :: ATP_COMPARISON_ROWS = 3
  integer(c_int), parameter :: ATP_COMPARISON_COLUMNS = 5
contains
  !> The constant of a word of an enum: word_value('map', 'free') is ATP_MAP_FREE; -1 for others.
  pure integer(c_int) function word_value(enum, word)
    character(len=*), intent(in) :: enum, word
    select case (trim(enum) // ':' // trim(word))
    case ('weight_rule:inclusive')
      word_value = ATP_WEIGHTS_INCLUSIVE
    case ('weight_rule:strict')
      word_value = ATP_WEIGHTS_STRICT
    case ('weight_rule:floor')
      word_value = ATP_WEIGHTS_FLOOR
    case ('dotattn_branch:semantic')
      word_value = ATP_DOTATTN_SEMANTIC
    case ('dotattn_branch:positional')
      word_value = ATP_DOTATTN_POSITIONAL
    case ('dotattn_branch:uninformed')
      word_value = ATP_DOTATTN_UNINFORMED
    case ('dotattn_start:semantic')
      word_value = ATP_DOTATTN_START_SEMANTIC
    case ('dotattn_start:positional')
      word_value = ATP_DOTATTN_START_POSITIONAL
    case ('dotattn_start:random')
      word_value = ATP_DOTATTN_START_RANDOM
    case ('dotattn_start:mixed')
      word_value = ATP_DOTATTN_START_MIXED
    case ('model_format:auto')
      word_value = ATP_MODEL_AUTO
    case ('model_format:hdf5')
      word_value = ATP_MODEL_HDF5
    case ('model_format:plmc')
      word_value = ATP_MODEL_PLMC
    case ('model_format:ccmpred')
      word_value = ATP_MODEL_CCMPRED
    case ('model_format:adabm')
      word_value = ATP_MODEL_ADABM
    case ('model_format:bmdca')
      word_value = ATP_MODEL_BMDCA
    case ('score_format:ccmpred')
      word_value = ATP_SCORES_CCMPRED
    case ('score_format:plmc')
      word_value = ATP_SCORES_PLMC
    case ('couplings:gaussian')
      word_value = ATP_COUPLINGS_GAUSSIAN
    case ('couplings:contacts')
      word_value = ATP_COUPLINGS_CONTACTS
    case ('color_matrix:gaussian')
      word_value = ATP_COLOR_MATRIX_GAUSSIAN
    case ('color_matrix:identity')
      word_value = ATP_COLOR_MATRIX_IDENTITY
    case ('gauge:colors')
      word_value = ATP_GAUGE_COLORS
    case ('gauge:zero_sum')
      word_value = ATP_GAUGE_ZERO_SUM
    case ('family:factored')
      word_value = ATP_FAMILY_FACTORED
    case ('family:dense')
      word_value = ATP_FAMILY_DENSE
    case ('gaps:state')
      word_value = ATP_GAPS_STATE
    case ('gaps:ignore')
      word_value = ATP_GAPS_IGNORE
    case ('l2_scale:absolute')
      word_value = ATP_L2_ABSOLUTE
    case ('l2_scale:sites')
      word_value = ATP_L2_SITES
    case ('l2_scale:sites_colors')
      word_value = ATP_L2_SITES_COLORS
    case ('l2_scale:weight')
      word_value = ATP_L2_WEIGHT
    case ('map:free')
      word_value = ATP_MAP_FREE
    case ('map:softmax')
      word_value = ATP_MAP_SOFTMAX
    case ('map:lowrank')
      word_value = ATP_MAP_LOWRANK
    case ('diagonal:before')
      word_value = ATP_DIAGONAL_BEFORE
    case ('diagonal:after')
      word_value = ATP_DIAGONAL_AFTER
    case ('objective:pseudolikelihood')
      word_value = ATP_OBJECTIVE_PSEUDOLIKELIHOOD
    case ('objective:mlm')
      word_value = ATP_OBJECTIVE_MLM
    case ('optimizer:lbfgs')
      word_value = ATP_OPTIMIZER_LBFGS
    case ('optimizer:sgd')
      word_value = ATP_OPTIMIZER_SGD
    case ('optimizer:adam')
      word_value = ATP_OPTIMIZER_ADAM
    case ('architecture:encoder')
      word_value = ATP_ARCHITECTURE_ENCODER
    case ('architecture:dial')
      word_value = ATP_ARCHITECTURE_DIAL
    case ('positions:none')
      word_value = ATP_POSITIONS_NONE
    case ('positions:sinusoidal')
      word_value = ATP_POSITIONS_SINUSOIDAL
    case ('format:auto')
      word_value = ATP_FORMAT_AUTO
    case ('format:hdf5')
      word_value = ATP_FORMAT_HDF5
    case ('format:fasta')
      word_value = ATP_FORMAT_FASTA
    case ('format:integers')
      word_value = ATP_FORMAT_INTEGERS
    case ('format:a2m')
      word_value = ATP_FORMAT_A2M
    case ('format:a3m')
      word_value = ATP_FORMAT_A3M
    case ('format:stockholm')
      word_value = ATP_FORMAT_STOCKHOLM
    case ('format:aln')
      word_value = ATP_FORMAT_ALN
    case ('format:named')
      word_value = ATP_FORMAT_NAMED
    case ('unknown:gap')
      word_value = ATP_UNKNOWN_GAP
    case ('unknown:drop')
      word_value = ATP_UNKNOWN_DROP
    case ('unknown:error')
      word_value = ATP_UNKNOWN_ERROR
    case ('replica_loss:square')
      word_value = ATP_REPLICA_LOSS_SQUARE
    case ('replica_loss:huber')
      word_value = ATP_REPLICA_LOSS_HUBER
    case ('replica_loss:logistic')
      word_value = ATP_REPLICA_LOSS_LOGISTIC
    case ('score_gauge:zero_sum')
      word_value = ATP_SCORE_ZERO_SUM
    case ('score_gauge:raw')
      word_value = ATP_SCORE_RAW
    case ('absent:excluded')
      word_value = ATP_ABSENT_EXCLUDED
    case ('absent:counted')
      word_value = ATP_ABSENT_COUNTED
    case default
      word_value = -1
    end select
  end function
  !> The words of an enum, separated by commas; empty for others.
  pure function words_of(enum) result(words)
    character(len=*), intent(in) :: enum
    character(len=:), allocatable :: words
    select case (trim(enum))
    case ('weight_rule')
      words = 'inclusive, strict, floor'
    case ('dotattn_branch')
      words = 'semantic, positional, uninformed'
    case ('dotattn_start')
      words = 'semantic, positional, random, mixed'
    case ('model_format')
      words = 'auto, hdf5, plmc, ccmpred, adabm, bmdca'
    case ('score_format')
      words = 'ccmpred, plmc'
    case ('couplings')
      words = 'gaussian, contacts'
    case ('color_matrix')
      words = 'gaussian, identity'
    case ('gauge')
      words = 'colors, zero_sum'
    case ('family')
      words = 'factored, dense'
    case ('gaps')
      words = 'state, ignore'
    case ('l2_scale')
      words = 'absolute, sites, sites_colors, weight'
    case ('map')
      words = 'free, softmax, lowrank'
    case ('diagonal')
      words = 'before, after'
    case ('objective')
      words = 'pseudolikelihood, mlm'
    case ('optimizer')
      words = 'lbfgs, sgd, adam'
    case ('architecture')
      words = 'encoder, dial'
    case ('positions')
      words = 'none, sinusoidal'
    case ('format')
      words = 'auto, hdf5, fasta, integers, a2m, a3m, stockholm, aln, named'
    case ('unknown')
      words = 'gap, drop, error'
    case ('replica_loss')
      words = 'square, huber, logistic'
    case ('score_gauge')
      words = 'zero_sum, raw'
    case ('absent')
      words = 'excluded, counted'
    case default
      words = ''
    end select
  end function
end module attopotts_constants

!> The functions of the C API. Pointers are type(c_ptr), value; places of handles type(c_ptr), intent(out);
!> uint64_t is integer(c_int64_t) with the same bits.
module attopotts_c
  use, intrinsic :: iso_c_binding, only: c_int, c_int64_t, c_double, c_ptr, c_funptr
  implicit none
  public
  interface
    integer(c_int) function atp_alignment_create(context, sequences, n, sites, colors, weights, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      type(c_ptr), value :: weights
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_alignment_read(context, path, alphabet, options, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: alphabet
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_alignment_select(context, source, first, count, stride, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: source
      integer(c_int64_t), value :: first
      integer(c_int64_t), value :: count
      integer(c_int64_t), value :: stride
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_alignment_find(alignment, name, index) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: name
      type(c_ptr), value :: index
    end function
    integer(c_int) function atp_alignment_focus(context, source, name, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: source
      type(c_ptr), value :: name
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_alignment_filter(context, source, options, counts, size, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: source
      type(c_ptr), value :: options
      type(c_ptr), value :: counts
      integer(c_int64_t), value :: size
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_alignment_destroy(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end subroutine
    integer(c_int64_t) function atp_alignment_count(alignment) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int64_t) function atp_alignment_sites(alignment) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int64_t) function atp_alignment_colors(alignment) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: alignment
    end function
    real(c_double) function atp_alignment_effective_count(alignment) bind(c)
      import :: c_double, c_ptr
      type(c_ptr), value :: alignment
    end function
    type(c_ptr) function atp_alignment_sequences_view(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    type(c_ptr) function atp_alignment_weights_view(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int) function atp_alignment_set_weights(alignment, weights, n) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: weights
      integer(c_int64_t), value :: n
    end function
    integer(c_int) function atp_alignment_weigh(alignment, theta, rule) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: alignment
      real(c_double), value :: theta
      integer(c_int), value :: rule
    end function
    integer(c_int) function atp_alignment_auto_theta(alignment, theta) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: theta
    end function
    type(c_ptr) function atp_alignment_alphabet(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int) function atp_alignment_set_alphabet(alignment, symbols) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: symbols
    end function
    type(c_ptr) function atp_alignment_site_numbers_view(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    type(c_ptr) function atp_alignment_site_residues(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int) function atp_alignment_set_sites(alignment, numbers, n, residues) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: numbers
      integer(c_int64_t), value :: n
      type(c_ptr), value :: residues
    end function
    type(c_ptr) function atp_alignment_name(alignment, index) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      integer(c_int64_t), value :: index
    end function
    type(c_ptr) function atp_alignment_origin(alignment) bind(c)
      import :: c_ptr
      type(c_ptr), value :: alignment
    end function
    integer(c_int) function atp_alignment_set_origin(alignment, text) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: text
    end function
    integer(c_int) function atp_alignment_frequencies(alignment, pseudocount, frequencies, size) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      real(c_double), value :: pseudocount
      type(c_ptr), value :: frequencies
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_alignment_pair_frequencies(alignment, pseudocount, pairs, size) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      real(c_double), value :: pseudocount
      type(c_ptr), value :: pairs
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_alignment_covariances(alignment, pseudocount, covariances, size) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      real(c_double), value :: pseudocount
      type(c_ptr), value :: covariances
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_alignment_independent_loss(alignment, frequencies, size, loss) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: alignment
      type(c_ptr), value :: frequencies
      integer(c_int64_t), value :: size
      type(c_ptr), value :: loss
    end function
    real(c_double) function atp_progress_value(progress, key) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: progress
      integer(c_int), value :: key
    end function
    integer(c_int) function atp_context_create(alloc, release, user, out) bind(c)
      import :: c_funptr, c_int, c_ptr
      type(c_funptr), value :: alloc
      type(c_funptr), value :: release
      type(c_ptr), value :: user
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_context_destroy(context) bind(c)
      import :: c_ptr
      type(c_ptr), value :: context
    end subroutine
    integer(c_int) function atp_context_set_threads(context, threads) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: threads
    end function
    integer(c_int64_t) function atp_context_threads(context) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: context
    end function
    integer(c_int) function atp_context_set_simd(context, name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: name
    end function
    type(c_ptr) function atp_context_simd(context) bind(c)
      import :: c_ptr
      type(c_ptr), value :: context
    end function
    type(c_ptr) function atp_simd_target(index) bind(c)
      import :: c_int64_t, c_ptr
      integer(c_int64_t), value :: index
    end function
    integer(c_int) function atp_context_set_log(context, log, user) bind(c)
      import :: c_funptr, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_funptr), value :: log
      type(c_ptr), value :: user
    end function
    integer(c_int64_t) function atp_context_error(context, buffer, size) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_context_memory(context, count, bytes) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: count
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_context_set_memory_limit(context, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: bytes
    end function
    integer(c_int) function atp_context_memory_limit(context, limit, available) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: limit
      type(c_ptr), value :: available
    end function
    integer(c_int) function atp_autocorrelation_time(series, chains, n, tau, tau_error) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: series
      integer(c_int64_t), value :: chains
      integer(c_int64_t), value :: n
      type(c_ptr), value :: tau
      type(c_ptr), value :: tau_error
    end function
    integer(c_int) function atp_split_rhat(series, chains, n, rhat) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: series
      integer(c_int64_t), value :: chains
      integer(c_int64_t), value :: n
      type(c_ptr), value :: rhat
    end function
    integer(c_int) function atp_hamming_histogram(sequences, n, sites, counts, size, mean) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: counts
      integer(c_int64_t), value :: size
      type(c_ptr), value :: mean
    end function
    type(c_ptr) function atp_dotattn_column_name(column) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: column
    end function
    integer(c_int) function atp_dotattn_column_find(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    type(c_ptr) function atp_dotattn_transition_column_name(column) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: column
    end function
    integer(c_int) function atp_dotattn_bytes(context, n_alphas, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: n_alphas
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_dotattn_curve(context, teacher, teacher_size, omega, sigma, lambda, branch, &
        alphas, n_alphas, accuracy, max_iter, progress, user, rows, size, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      real(c_double), value :: omega
      real(c_double), value :: sigma
      real(c_double), value :: lambda
      integer(c_int), value :: branch
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: accuracy
      integer(c_int64_t), value :: max_iter
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_dotattn_transition(context, teacher, teacher_size, sigma, lambda, omegas, &
        n_omegas, accuracy, max_iter, progress, user, rows, size, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      real(c_double), value :: sigma
      real(c_double), value :: lambda
      type(c_ptr), value :: omegas
      integer(c_int64_t), value :: n_omegas
      real(c_double), value :: accuracy
      integer(c_int64_t), value :: max_iter
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_dotattn_linear(teacher, teacher_size, omega, sigma, map, map_size, loss) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      real(c_double), value :: omega
      real(c_double), value :: sigma
      type(c_ptr), value :: map
      integer(c_int64_t), value :: map_size
      type(c_ptr), value :: loss
    end function
    type(c_ptr) function atp_dotattn_sim_column_name(column) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: column
    end function
    integer(c_int) function atp_dotattn_sim_column_find(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    integer(c_int) function atp_dotattn_simulate_bytes(context, dimension, tokens, code_columns, rank, alphas, &
        n_alphas, optimizer, runs, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: dimension
      integer(c_int64_t), value :: tokens
      integer(c_int64_t), value :: code_columns
      integer(c_int64_t), value :: rank
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      integer(c_int), value :: optimizer
      integer(c_int64_t), value :: runs
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_dotattn_simulate(context, dimension, tokens, code, code_columns, code_size, rank, &
        teacher, teacher_size, omega, sigma, lambda, alphas, n_alphas, start, optimizer, steps, rate, tolerance, &
        fresh, runs, seed, progress, user, rows, size, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: dimension
      integer(c_int64_t), value :: tokens
      type(c_ptr), value :: code
      integer(c_int64_t), value :: code_columns
      integer(c_int64_t), value :: code_size
      integer(c_int64_t), value :: rank
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      real(c_double), value :: omega
      real(c_double), value :: sigma
      real(c_double), value :: lambda
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      integer(c_int), value :: start
      integer(c_int), value :: optimizer
      integer(c_int64_t), value :: steps
      real(c_double), value :: rate
      real(c_double), value :: tolerance
      integer(c_int64_t), value :: fresh
      integer(c_int64_t), value :: runs
      integer(c_int64_t), value :: seed
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    type(c_ptr) function atp_dotattn_tokens_column_name(column) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: column
    end function
    integer(c_int) function atp_dotattn_tokens_column_find(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    integer(c_int) function atp_dotattn_tokens_bytes(context, tokens, rank, n_alphas, points, shifts, bytes) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: tokens
      integer(c_int64_t), value :: rank
      integer(c_int64_t), value :: n_alphas
      integer(c_int64_t), value :: points
      integer(c_int64_t), value :: shifts
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_dotattn_tokens(context, tokens, code, code_columns, code_size, rank, teacher, &
        teacher_size, omega, sigma, lambda, alphas, n_alphas, solution, points, shifts, seed, tolerance, max_iter, &
        progress, user, rows, size, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: tokens
      type(c_ptr), value :: code
      integer(c_int64_t), value :: code_columns
      integer(c_int64_t), value :: code_size
      integer(c_int64_t), value :: rank
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      real(c_double), value :: omega
      real(c_double), value :: sigma
      real(c_double), value :: lambda
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      integer(c_int), value :: solution
      integer(c_int64_t), value :: points
      integer(c_int64_t), value :: shifts
      integer(c_int64_t), value :: seed
      real(c_double), value :: tolerance
      integer(c_int64_t), value :: max_iter
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_input_open(context, path, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_input_destroy(input) bind(c)
      import :: c_ptr
      type(c_ptr), value :: input
    end subroutine
    type(c_ptr) function atp_input_kind(input) bind(c)
      import :: c_ptr
      type(c_ptr), value :: input
    end function
    integer(c_int64_t) function atp_input_size(input) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: input
    end function
    type(c_ptr) function atp_input_bytes_view(input) bind(c)
      import :: c_ptr
      type(c_ptr), value :: input
    end function
    integer(c_int) function atp_input_alignment(input, alphabet, options, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: input
      type(c_ptr), value :: alphabet
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_input_model(input, format, alphabet, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: input
      integer(c_int), value :: format
      type(c_ptr), value :: alphabet
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_input_scores_sites(input, sites) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: input
      type(c_ptr), value :: sites
    end function
    integer(c_int) function atp_input_scores(input, scores, size, numbers, residues) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: input
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: size
      type(c_ptr), value :: numbers
      type(c_ptr), value :: residues
    end function
    integer(c_int) function atp_alignment_write(context, alignment, format, path) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: alignment
      integer(c_int), value :: format
      type(c_ptr), value :: path
    end function
    integer(c_int) function atp_model_write_as(context, model, alignment, format, path) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: alignment
      integer(c_int), value :: format
      type(c_ptr), value :: path
    end function
    integer(c_int) function atp_model_read_as(context, path, format, alphabet, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      integer(c_int), value :: format
      type(c_ptr), value :: alphabet
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_scores_write(context, scores, sites, size, numbers, residues, format, path) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: size
      type(c_ptr), value :: numbers
      type(c_ptr), value :: residues
      integer(c_int), value :: format
      type(c_ptr), value :: path
    end function
    integer(c_int) function atp_scores_sites(context, path, sites) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: sites
    end function
    integer(c_int) function atp_scores_read(context, path, scores, size, numbers, residues) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: size
      type(c_ptr), value :: numbers
      type(c_ptr), value :: residues
    end function
    integer(c_int) function atp_model_write(context, model, path) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: path
    end function
    integer(c_int) function atp_model_read(context, path, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_file_kind(context, path, kind) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: kind
    end function
    integer(c_int) function atp_file_write(context, path, bytes, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: bytes
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_file_writable(path, replaced) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: path
      type(c_ptr), value :: replaced
    end function
    integer(c_int) function atp_file_size(context, path, size) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: size
    end function
    integer(c_int) function atp_file_read(context, path, bytes, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: bytes
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_create_heads(context, sites, colors, heads, maps, values, fields, out) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      integer(c_int64_t), value :: heads
      type(c_ptr), value :: maps
      type(c_ptr), value :: values
      type(c_ptr), value :: fields
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_model_create_dense_f64(context, sites, colors, couplings, fields, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      type(c_ptr), value :: couplings
      type(c_ptr), value :: fields
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_model_create_dense_f32(context, sites, colors, couplings, fields, out) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      type(c_ptr), value :: couplings
      type(c_ptr), value :: fields
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_model_create_random(context, sites, colors, couplings, color_matrix, seed, out) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      integer(c_int), value :: couplings
      integer(c_int), value :: color_matrix
      integer(c_int64_t), value :: seed
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_model_copy(context, source, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: source
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int) function atp_model_gauge(context, source, gauge, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: source
      integer(c_int), value :: gauge
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_model_destroy(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end subroutine
    integer(c_int64_t) function atp_model_sites(model) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int64_t) function atp_model_colors(model) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int64_t) function atp_model_heads(model) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int) function atp_model_has_fields(model) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int) function atp_model_is_symmetric(model) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: model
    end function
    real(c_double) function atp_model_beta(model) bind(c)
      import :: c_double, c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int) function atp_model_set_beta(model, beta) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: model
      real(c_double), value :: beta
    end function
    type(c_ptr) function atp_model_alphabet(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int) function atp_model_set_alphabet(model, symbols) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: symbols
    end function
    type(c_ptr) function atp_model_site_numbers_view(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end function
    type(c_ptr) function atp_model_site_residues(model) bind(c)
      import :: c_ptr
      type(c_ptr), value :: model
    end function
    integer(c_int) function atp_model_set_sites(model, numbers, n, residues) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: numbers
      integer(c_int64_t), value :: n
      type(c_ptr), value :: residues
    end function
    integer(c_int) function atp_model_maps(model, maps, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: maps
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_values(model, values, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: values
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_fields(model, fields, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: fields
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_couplings_f64(model, couplings, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: couplings
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_couplings_f32(model, couplings, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: couplings
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_conditionals(model, sequences, n, conditionals, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      type(c_ptr), value :: conditionals
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_model_energies(model, sequences, n, energies) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      type(c_ptr), value :: energies
    end function
    integer(c_int) function atp_model_log_pseudolikelihoods(model, sequences, n, values) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      type(c_ptr), value :: values
    end function
    integer(c_int) function atp_model_loss(context, model, alignment, loss) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: alignment
      type(c_ptr), value :: loss
    end function
    integer(c_int) function atp_model_coupling_error(context, model, truth, error) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: truth
      type(c_ptr), value :: error
    end function
    integer(c_int) function atp_model_enumerate(model, log_z, energy, marginals, pairs, probabilities) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: model
      type(c_ptr), value :: log_z
      type(c_ptr), value :: energy
      type(c_ptr), value :: marginals
      type(c_ptr), value :: pairs
      type(c_ptr), value :: probabilities
    end function
    integer(c_int) function atp_options_create(context, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_options_destroy(options) bind(c)
      import :: c_ptr
      type(c_ptr), value :: options
    end subroutine
    integer(c_int) function atp_options_reset(options) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
    end function
    integer(c_int) function atp_options_set_i64(options, key, value) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: key
      integer(c_int64_t), value :: value
    end function
    integer(c_int) function atp_options_set_f64(options, key, value) bind(c)
      import :: c_double, c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: key
      real(c_double), value :: value
    end function
    integer(c_int) function atp_options_get_i64(options, key, value) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: key
      type(c_ptr), value :: value
    end function
    integer(c_int) function atp_options_get_f64(options, key, value) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      integer(c_int), value :: key
      type(c_ptr), value :: value
    end function
    integer(c_int64_t) function atp_option_count() bind(c)
      import :: c_int64_t
    end function
    integer(c_int) function atp_option_at(index) bind(c)
      import :: c_int, c_int64_t
      integer(c_int64_t), value :: index
    end function
    type(c_ptr) function atp_option_name(key) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: key
    end function
    integer(c_int) function atp_option_from_name(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    integer(c_int) function atp_option_bounds(key, lowest, highest, initial, is_integer) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: key
      type(c_ptr), value :: lowest
      type(c_ptr), value :: highest
      type(c_ptr), value :: initial
      type(c_ptr), value :: is_integer
    end function
    type(c_ptr) function atp_replica_column_name(column) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: column
    end function
    integer(c_int) function atp_replica_column_find(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    integer(c_int) function atp_replica_goe(sites, shift, seed, precision, size) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: sites
      real(c_double), value :: shift
      integer(c_int64_t), value :: seed
      type(c_ptr), value :: precision
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_replica_mask_workspace(sites, doubles) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: doubles
    end function
    integer(c_int) function atp_replica_mask_precision(precision, sites, site, covariance, covariance_size, &
        teacher, teacher_size, noise, work, work_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: precision
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: site
      type(c_ptr), value :: covariance
      integer(c_int64_t), value :: covariance_size
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      type(c_ptr), value :: noise
      type(c_ptr), value :: work
      integer(c_int64_t), value :: work_size
    end function
    integer(c_int) function atp_replica_mask_covariance(full, sites, site, covariance, covariance_size, teacher, &
        teacher_size, noise, work, work_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: full
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: site
      type(c_ptr), value :: covariance
      integer(c_int64_t), value :: covariance_size
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: teacher_size
      type(c_ptr), value :: noise
      type(c_ptr), value :: work
      integer(c_int64_t), value :: work_size
    end function
    integer(c_int) function atp_replica_spectrum_workspace(parameters, doubles) bind(c)
      import :: c_int, c_int64_t, c_ptr
      integer(c_int64_t), value :: parameters
      type(c_ptr), value :: doubles
    end function
    integer(c_int) function atp_replica_spectrum(covariance, covariance_size, teacher, parameters, eigenvalues, &
        projections, size, work, work_size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: covariance
      integer(c_int64_t), value :: covariance_size
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: parameters
      type(c_ptr), value :: eigenvalues
      type(c_ptr), value :: projections
      integer(c_int64_t), value :: size
      type(c_ptr), value :: work
      integer(c_int64_t), value :: work_size
    end function
    integer(c_int) function atp_replica_square(eigenvalues, n_eigenvalues, projections, n_projections, noise, &
        alphas, n_alphas, lambda, temperature, rows, size, outcome) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: eigenvalues
      integer(c_int64_t), value :: n_eigenvalues
      type(c_ptr), value :: projections
      integer(c_int64_t), value :: n_projections
      real(c_double), value :: noise
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      real(c_double), value :: temperature
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_replica_square_saddle(eigenvalues, n_eigenvalues, projections, n_projections, &
        noise, alphas, n_alphas, lambda, temperature, max_iter, rows, size, outcome) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: eigenvalues
      integer(c_int64_t), value :: n_eigenvalues
      type(c_ptr), value :: projections
      integer(c_int64_t), value :: n_projections
      real(c_double), value :: noise
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      real(c_double), value :: temperature
      integer(c_int64_t), value :: max_iter
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_replica_limit(shift, alphas, n_alphas, lambda, temperature, rows, size, outcome) &
        bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      real(c_double), value :: shift
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      real(c_double), value :: temperature
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_replica_simulate_bytes(context, parameters, alphas, n_alphas, lambda, &
        realisations, bytes) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: parameters
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      integer(c_int64_t), value :: realisations
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_replica_simulate(context, covariance, covariance_size, teacher, parameters, noise, &
        alphas, n_alphas, lambda, realisations, seed, progress, user, rows, size, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: covariance
      integer(c_int64_t), value :: covariance_size
      type(c_ptr), value :: teacher
      integer(c_int64_t), value :: parameters
      real(c_double), value :: noise
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      integer(c_int64_t), value :: realisations
      integer(c_int64_t), value :: seed
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_replica_convex_workspace(doubles) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: doubles
    end function
    integer(c_int) function atp_replica_convex(eigenvalues, n_eigenvalues, projections, n_projections, noise, &
        loss, delta, alphas, n_alphas, lambda, max_iter, work, work_size, rows, size, optimum, outcome) bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: eigenvalues
      integer(c_int64_t), value :: n_eigenvalues
      type(c_ptr), value :: projections
      integer(c_int64_t), value :: n_projections
      real(c_double), value :: noise
      integer(c_int), value :: loss
      real(c_double), value :: delta
      type(c_ptr), value :: alphas
      integer(c_int64_t), value :: n_alphas
      real(c_double), value :: lambda
      integer(c_int64_t), value :: max_iter
      type(c_ptr), value :: work
      integer(c_int64_t), value :: work_size
      type(c_ptr), value :: rows
      integer(c_int64_t), value :: size
      type(c_ptr), value :: optimum
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_sampler_bytes(context, model, options, bytes) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: options
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_sampler_create(context, model, options, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_sampler_destroy(sampler) bind(c)
      import :: c_ptr
      type(c_ptr), value :: sampler
    end subroutine
    integer(c_int64_t) function atp_sampler_chains(sampler) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int64_t) function atp_sampler_sites(sampler) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int64_t) function atp_sampler_temperatures(sampler) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int64_t) function atp_sampler_sweeps(sampler) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int) function atp_sampler_betas(sampler, betas, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: betas
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_sampler_set_betas(sampler, betas, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: betas
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_sampler_swap_rates(sampler, rates, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: rates
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_sampler_start_random(sampler) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int) function atp_sampler_start_from(sampler, sequences, n, sites) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
    end function
    integer(c_int) function atp_sampler_sweep(sampler, sweeps, progress, user, outcome) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int64_t), value :: sweeps
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_sampler_sample(sampler, n, thin, sequences, size, energies, done, progress, user, &
        outcome) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: thin
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: size
      type(c_ptr), value :: energies
      type(c_ptr), value :: done
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_sampler_states(sampler, rung, sequences, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int64_t), value :: rung
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_sampler_energies(sampler, rung, energies, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      integer(c_int64_t), value :: rung
      type(c_ptr), value :: energies
      integer(c_int64_t), value :: size
    end function
    subroutine atp_sampler_request_stop(sampler) bind(c)
      import :: c_ptr
      type(c_ptr), value :: sampler
    end subroutine
    integer(c_int64_t) function atp_sampler_state_bytes(sampler) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: sampler
    end function
    integer(c_int) function atp_sampler_save_state(sampler, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_sampler_load_state(sampler, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: sampler
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_tune_beta(context, model, options, target, progress, user, beta, beta_error, &
        hamming, hamming_error, outcome) bind(c)
      import :: c_double, c_funptr, c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: options
      real(c_double), value :: target
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: beta
      type(c_ptr), value :: beta_error
      type(c_ptr), value :: hamming
      type(c_ptr), value :: hamming_error
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_model_frobenius(context, model, gauge, gap, scores, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      integer(c_int), value :: gauge
      integer(c_int64_t), value :: gap
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_scores_apc(scores, sites, corrected, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: corrected
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_scores_rank(scores, sites, numbers, separation, pairs, capacity, count) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: scores
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: numbers
      integer(c_int64_t), value :: separation
      type(c_ptr), value :: pairs
      integer(c_int64_t), value :: capacity
      type(c_ptr), value :: count
    end function
    integer(c_int) function atp_distances_read(context, path, numbers, sites, distances, size, pairs, used) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: path
      type(c_ptr), value :: numbers
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: distances
      integer(c_int64_t), value :: size
      type(c_ptr), value :: pairs
      type(c_ptr), value :: used
    end function
    integer(c_int) function atp_pairs_precision(pairs, n, distances, sites, cutoff, absent, curve, counted) &
        bind(c)
      import :: c_double, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: pairs
      integer(c_int64_t), value :: n
      type(c_ptr), value :: distances
      integer(c_int64_t), value :: sites
      real(c_double), value :: cutoff
      integer(c_int), value :: absent
      type(c_ptr), value :: curve
      type(c_ptr), value :: counted
    end function
    integer(c_int) function atp_model_mutants(context, model, sequence, sites, delta_energy, &
        delta_log_pseudolikelihood, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: model
      type(c_ptr), value :: sequence
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: delta_energy
      type(c_ptr), value :: delta_log_pseudolikelihood
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_statistics_compare(context, data, samples, numbers, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: data
      type(c_ptr), value :: samples
      type(c_ptr), value :: numbers
      integer(c_int64_t), value :: size
    end function
    type(c_ptr) function atp_status_name(status) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    type(c_ptr) function atp_status_string(status) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: status
    end function
    type(c_ptr) function atp_outcome_name(outcome) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: outcome
    end function
    integer(c_int64_t) function atp_last_error(buffer, size) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_bytes(context, n, sites, colors, options, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      type(c_ptr), value :: options
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_trainer_create(context, train, options, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: train
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_trainer_destroy(trainer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: trainer
    end subroutine
    integer(c_int) function atp_trainer_set_values(trainer, values, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: values
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_set_test(trainer, test) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: test
    end function
    integer(c_int) function atp_trainer_set_truth(trainer, truth) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: truth
    end function
    integer(c_int64_t) function atp_trainer_parameter_count(trainer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: trainer
    end function
    integer(c_int) function atp_trainer_parameters(trainer, parameters, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: parameters
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_set_parameters(trainer, parameters, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: parameters
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_gradient(trainer, loss, objective, gradient, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: loss
      type(c_ptr), value :: objective
      type(c_ptr), value :: gradient
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_masked_gradient(trainer, masked_sites, n, loss, objective, gradient, size) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: masked_sites
      integer(c_int64_t), value :: n
      type(c_ptr), value :: loss
      type(c_ptr), value :: objective
      type(c_ptr), value :: gradient
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_loss(trainer, alignment, loss) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: alignment
      type(c_ptr), value :: loss
    end function
    integer(c_int) function atp_trainer_start_wide(trainer, heads, iterations, progress, user, outcome) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      integer(c_int64_t), value :: heads
      integer(c_int64_t), value :: iterations
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: outcome
    end function
    integer(c_int) function atp_trainer_start_from(trainer, wide) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: wide
    end function
    integer(c_int) function atp_trainer_run(trainer, epochs, progress, user, outcome) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      integer(c_int64_t), value :: epochs
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: outcome
    end function
    integer(c_int64_t) function atp_trainer_epochs(trainer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: trainer
    end function
    subroutine atp_trainer_request_stop(trainer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: trainer
    end subroutine
    integer(c_int) function atp_trainer_model(trainer, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int64_t) function atp_trainer_state_bytes(trainer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: trainer
    end function
    integer(c_int) function atp_trainer_save_state(trainer, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_trainer_load_state(trainer, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: trainer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_bytes(context, n, sites, colors, options, bytes) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: context
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
      integer(c_int64_t), value :: colors
      type(c_ptr), value :: options
      type(c_ptr), value :: bytes
    end function
    integer(c_int) function atp_transformer_create(context, train, options, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: context
      type(c_ptr), value :: train
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: out
    end function
    subroutine atp_transformer_destroy(transformer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: transformer
    end subroutine
    integer(c_int) function atp_transformer_set_test(transformer, test) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: test
    end function
    integer(c_int) function atp_transformer_set_truth(transformer, truth) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: truth
    end function
    integer(c_int64_t) function atp_transformer_parameter_count(transformer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: transformer
    end function
    integer(c_int) function atp_transformer_parameters(transformer, parameters, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: parameters
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_set_parameters(transformer, parameters, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: parameters
      integer(c_int64_t), value :: size
    end function
    integer(c_int64_t) function atp_transformer_part_count(transformer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: transformer
    end function
    integer(c_int) function atp_transformer_part(transformer, index, name, offset, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      integer(c_int64_t), value :: index
      type(c_ptr), value :: name
      type(c_ptr), value :: offset
      type(c_ptr), value :: size
    end function
    integer(c_int) function atp_transformer_gradient(transformer, loss, gradient, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: loss
      type(c_ptr), value :: gradient
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_masked_gradient(transformer, masked_sites, n, loss, gradient, size) &
        bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: masked_sites
      integer(c_int64_t), value :: n
      type(c_ptr), value :: loss
      type(c_ptr), value :: gradient
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_loss(transformer, alignment, loss) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: alignment
      type(c_ptr), value :: loss
    end function
    integer(c_int) function atp_transformer_run(transformer, epochs, progress, user, outcome) bind(c)
      import :: c_funptr, c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      integer(c_int64_t), value :: epochs
      type(c_funptr), value :: progress
      type(c_ptr), value :: user
      type(c_ptr), value :: outcome
    end function
    integer(c_int64_t) function atp_transformer_epochs(transformer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: transformer
    end function
    subroutine atp_transformer_request_stop(transformer) bind(c)
      import :: c_ptr
      type(c_ptr), value :: transformer
    end subroutine
    integer(c_int) function atp_transformer_conditionals(transformer, sequences, n, sites, out, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: sequences
      integer(c_int64_t), value :: n
      integer(c_int64_t), value :: sites
      type(c_ptr), value :: out
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_model(transformer, out) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), intent(out) :: out
    end function
    integer(c_int64_t) function atp_transformer_map_count(transformer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: transformer
    end function
    integer(c_int) function atp_transformer_maps(transformer, alignment, maps, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: alignment
      type(c_ptr), value :: maps
      integer(c_int64_t), value :: size
    end function
    integer(c_int64_t) function atp_transformer_state_bytes(transformer) bind(c)
      import :: c_int64_t, c_ptr
      type(c_ptr), value :: transformer
    end function
    integer(c_int) function atp_transformer_save_state(transformer, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_transformer_load_state(transformer, buffer, size) bind(c)
      import :: c_int, c_int64_t, c_ptr
      type(c_ptr), value :: transformer
      type(c_ptr), value :: buffer
      integer(c_int64_t), value :: size
    end function
    integer(c_int) function atp_version_number() bind(c)
      import :: c_int
    end function
    type(c_ptr) function atp_version_string() bind(c)
      import :: c_ptr
    end function
    integer(c_int) function atp_abi_version() bind(c)
      import :: c_int
    end function
    integer(c_int) function atp_has_feature(name) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: name
    end function
    type(c_ptr) function atp_blas_description() bind(c)
      import :: c_ptr
    end function
  end interface
end module attopotts_c
