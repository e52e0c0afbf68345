# SPDX-License-Identifier: MIT
# Written by bindings/generate.py from include/attopotts/*.h: change those, not this.

const ABI_VERSION = 0
const ATP_WEIGHTS_INCLUSIVE = Cint(1)
const ATP_WEIGHTS_STRICT = Cint(2)
const ATP_WEIGHTS_FLOOR = Cint(3)
const ATP_LOG_INFO = Cint(0)
const ATP_LOG_WARNING = Cint(1)
const ATP_PROGRESS_STEP = Cint(0)
const ATP_PROGRESS_TOTAL = Cint(1)
const ATP_PROGRESS_SECONDS = Cint(2)
const ATP_PROGRESS_TRAIN_LOSS = Cint(3)
const ATP_PROGRESS_TEST_LOSS = Cint(4)
const ATP_PROGRESS_OPTIMAL_LOSS = Cint(5)
const ATP_PROGRESS_COUPLING_ERROR = Cint(6)
const ATP_PROGRESS_GRADIENT_NORM = Cint(7)
const ATP_PROGRESS_RATE = Cint(8)
const ATP_PROGRESS_SITE_UPDATES = Cint(9)
const ATP_PROGRESS_ENERGY = Cint(10)
const ATP_PROGRESS_SWAP_RATE = Cint(11)
const ATP_PROGRESS_OBJECTIVE = Cint(12)
const ATP_DOTATTN_SEMANTIC = Cint(1)
const ATP_DOTATTN_POSITIONAL = Cint(2)
const ATP_DOTATTN_UNINFORMED = Cint(3)
const ATP_DOTATTN_BRANCH = Cint(0)
const ATP_DOTATTN_OMEGA = Cint(1)
const ATP_DOTATTN_ALPHA = Cint(2)
const ATP_DOTATTN_Q = Cint(3)
const ATP_DOTATTN_M = Cint(4)
const ATP_DOTATTN_V = Cint(5)
const ATP_DOTATTN_THETA = Cint(6)
const ATP_DOTATTN_EG = Cint(7)
const ATP_DOTATTN_ET = Cint(8)
const ATP_DOTATTN_EG_LINEAR = Cint(9)
const ATP_DOTATTN_ITERATIONS = Cint(10)
const ATP_DOTATTN_RESIDUAL = Cint(11)
const ATP_DOTATTN_OUTCOME = Cint(12)
const ATP_DOTATTN_QUADRATURE = Cint(13)
const ATP_DOTATTN_QHAT = Cint(14)
const ATP_DOTATTN_MHAT = Cint(15)
const ATP_DOTATTN_VHAT = Cint(16)
const ATP_DOTATTN_THETAHAT = Cint(17)
const ATP_DOTATTN_TRANSITION_OMEGA = Cint(0)
const ATP_DOTATTN_TRANSITION_ALPHA_C = Cint(1)
const ATP_DOTATTN_TRANSITION_ALPHA_LINEAR = Cint(2)
const ATP_DOTATTN_TRANSITION_SEMANTIC = Cint(3)
const ATP_DOTATTN_TRANSITION_POSITIONAL = Cint(4)
const ATP_DOTATTN_TRANSITION_POSITIONAL_END = Cint(5)
const ATP_DOTATTN_TRANSITION_ERROR_C = Cint(6)
const ATP_DOTATTN_TRANSITION_ERROR_LINEAR = Cint(7)
const ATP_DOTATTN_TRANSITION_EG_LINEAR = Cint(8)
const ATP_DOTATTN_TRANSITION_ET = Cint(9)
const ATP_DOTATTN_TRANSITION_ITERATIONS = Cint(10)
const ATP_DOTATTN_TRANSITION_OUTCOME = Cint(11)
const ATP_DOTATTN_START_SEMANTIC = Cint(1)
const ATP_DOTATTN_START_POSITIONAL = Cint(2)
const ATP_DOTATTN_START_RANDOM = Cint(3)
const ATP_DOTATTN_START_MIXED = Cint(4)
const ATP_DOTATTN_SIM_ALPHA = Cint(0)
const ATP_DOTATTN_SIM_EG = Cint(1)
const ATP_DOTATTN_SIM_EG_SEM = Cint(2)
const ATP_DOTATTN_SIM_ET = Cint(3)
const ATP_DOTATTN_SIM_ET_SEM = Cint(4)
const ATP_DOTATTN_SIM_Q = Cint(5)
const ATP_DOTATTN_SIM_Q_SEM = Cint(6)
const ATP_DOTATTN_SIM_M = Cint(7)
const ATP_DOTATTN_SIM_M_SEM = Cint(8)
const ATP_DOTATTN_SIM_THETA = Cint(9)
const ATP_DOTATTN_SIM_THETA_SEM = Cint(10)
const ATP_DOTATTN_SIM_Q_LEAST = Cint(11)
const ATP_DOTATTN_SIM_Q_LEAST_SEM = Cint(12)
const ATP_DOTATTN_SIM_SEMANTIC = Cint(13)
const ATP_DOTATTN_SIM_GRADIENT = Cint(14)
const ATP_DOTATTN_SIM_STEPS = Cint(15)
const ATP_DOTATTN_SIM_SAMPLES = Cint(16)
const ATP_DOTATTN_SIM_RUNS = Cint(17)
const ATP_DOTATTN_SIM_OUTCOME = Cint(18)
const ATP_DOTATTN_TOKENS_ALPHA = Cint(0)
const ATP_DOTATTN_TOKENS_EG = Cint(1)
const ATP_DOTATTN_TOKENS_EG_SEM = Cint(2)
const ATP_DOTATTN_TOKENS_ET = Cint(3)
const ATP_DOTATTN_TOKENS_ET_SEM = Cint(4)
const ATP_DOTATTN_TOKENS_Q = Cint(5)
const ATP_DOTATTN_TOKENS_Q_SEM = Cint(6)
const ATP_DOTATTN_TOKENS_M = Cint(7)
const ATP_DOTATTN_TOKENS_M_SEM = Cint(8)
const ATP_DOTATTN_TOKENS_THETA = Cint(9)
const ATP_DOTATTN_TOKENS_THETA_SEM = Cint(10)
const ATP_DOTATTN_TOKENS_Q_LEAST = Cint(11)
const ATP_DOTATTN_TOKENS_Q_LEAST_SEM = Cint(12)
const ATP_DOTATTN_TOKENS_V = Cint(13)
const ATP_DOTATTN_TOKENS_V_SEM = Cint(14)
const ATP_DOTATTN_TOKENS_ITERATIONS = Cint(15)
const ATP_DOTATTN_TOKENS_RESIDUAL = Cint(16)
const ATP_DOTATTN_TOKENS_POINTS = Cint(17)
const ATP_DOTATTN_TOKENS_SHIFTS = Cint(18)
const ATP_DOTATTN_TOKENS_OUTCOME = Cint(19)
const ATP_MODEL_AUTO = Cint(0)
const ATP_MODEL_HDF5 = Cint(1)
const ATP_MODEL_PLMC = Cint(2)
const ATP_MODEL_CCMPRED = Cint(3)
const ATP_MODEL_ADABM = Cint(4)
const ATP_MODEL_BMDCA = Cint(5)
const ATP_SCORES_CCMPRED = Cint(1)
const ATP_SCORES_PLMC = Cint(2)
const ATP_COUPLINGS_GAUSSIAN = Cint(1)
const ATP_COUPLINGS_CONTACTS = Cint(2)
const ATP_COLOR_MATRIX_GAUSSIAN = Cint(1)
const ATP_COLOR_MATRIX_IDENTITY = Cint(2)
const ATP_GAUGE_COLORS = Cint(1)
const ATP_GAUGE_ZERO_SUM = Cint(2)
const ATP_OPT_SEED = Cint(100)
const ATP_OPT_CHAINS = Cint(101)
const ATP_OPT_BETA = Cint(102)
const ATP_OPT_TEMPERATURES = Cint(103)
const ATP_OPT_BETA_HOT = Cint(104)
const ATP_OPT_SWAP_INTERVAL = Cint(105)
const ATP_OPT_HEADS = Cint(201)
const ATP_OPT_MAP = Cint(202)
const ATP_OPT_RANK = Cint(203)
const ATP_OPT_FIELDS = Cint(204)
const ATP_OPT_COLORS_FIXED = Cint(205)
const ATP_OPT_OBJECTIVE = Cint(206)
const ATP_OPT_OPTIMIZER = Cint(207)
const ATP_OPT_RATE = Cint(208)
const ATP_OPT_BATCH = Cint(209)
const ATP_OPT_EPOCHS = Cint(210)
const ATP_OPT_TOLERANCE = Cint(211)
const ATP_OPT_L2_COUPLINGS = Cint(212)
const ATP_OPT_L2_COLORS = Cint(213)
const ATP_OPT_L2_FIELDS = Cint(214)
const ATP_OPT_HISTORY = Cint(215)
const ATP_OPT_PRECISION = Cint(216)
const ATP_OPT_MOMENTUM = Cint(217)
const ATP_OPT_INIT_SCALE = Cint(218)
const ATP_OPT_FAMILY = Cint(219)
const ATP_OPT_ASYMMETRIC = Cint(220)
const ATP_OPT_GAPS = Cint(221)
const ATP_OPT_L2_SCALE = Cint(222)
const ATP_OPT_DIAGONAL = Cint(240)
const ATP_OPT_SCORES_SCALED = Cint(241)
const ATP_OPT_SYMMETRIZED = Cint(242)
const ATP_OPT_L2_PAIRS = Cint(243)
const ATP_OPT_ARCHITECTURE = Cint(260)
const ATP_OPT_BLOCKS = Cint(261)
const ATP_OPT_WIDTH = Cint(262)
const ATP_OPT_HIDDEN = Cint(263)
const ATP_OPT_POSITIONS = Cint(264)
const ATP_OPT_DIAL = Cint(265)
const ATP_OPT_UNKNOWN = Cint(300)
const ATP_OPT_COLORS = Cint(301)
const ATP_OPT_FORMAT = Cint(302)
const ATP_OPT_MAX_GAPS_SEQUENCE = Cint(303)
const ATP_OPT_MAX_GAPS_COLUMN = Cint(304)
const ATP_OPT_REMOVE_DUPLICATES = Cint(305)
const ATP_OPT_MAX_UNPACKED = Cint(306)
const ATP_FAMILY_FACTORED = Cint(1)
const ATP_FAMILY_DENSE = Cint(2)
const ATP_GAPS_STATE = Cint(1)
const ATP_GAPS_IGNORE = Cint(2)
const ATP_L2_ABSOLUTE = Cint(1)
const ATP_L2_SITES = Cint(2)
const ATP_L2_SITES_COLORS = Cint(3)
const ATP_L2_WEIGHT = Cint(4)
const ATP_MAP_FREE = Cint(1)
const ATP_MAP_SOFTMAX = Cint(2)
const ATP_MAP_LOWRANK = Cint(3)
const ATP_DIAGONAL_BEFORE = Cint(1)
const ATP_DIAGONAL_AFTER = Cint(2)
const ATP_OBJECTIVE_PSEUDOLIKELIHOOD = Cint(1)
const ATP_OBJECTIVE_MLM = Cint(2)
const ATP_OPTIMIZER_LBFGS = Cint(1)
const ATP_OPTIMIZER_SGD = Cint(2)
const ATP_OPTIMIZER_ADAM = Cint(3)
const ATP_ARCHITECTURE_ENCODER = Cint(1)
const ATP_ARCHITECTURE_DIAL = Cint(2)
const ATP_POSITIONS_NONE = Cint(0)
const ATP_POSITIONS_SINUSOIDAL = Cint(1)
const ATP_FORMAT_AUTO = Cint(0)
const ATP_FORMAT_HDF5 = Cint(1)
const ATP_FORMAT_FASTA = Cint(2)
const ATP_FORMAT_INTEGERS = Cint(3)
const ATP_FORMAT_A2M = Cint(4)
const ATP_FORMAT_A3M = Cint(5)
const ATP_FORMAT_STOCKHOLM = Cint(6)
const ATP_FORMAT_ALN = Cint(7)
const ATP_FORMAT_NAMED = Cint(8)
const ATP_UNKNOWN_GAP = Cint(1)
const ATP_UNKNOWN_DROP = Cint(2)
const ATP_UNKNOWN_ERROR = Cint(3)
const ATP_REPLICA_ALPHA = Cint(0)
const ATP_REPLICA_LAMBDA = Cint(1)
const ATP_REPLICA_EG = Cint(2)
const ATP_REPLICA_ET = Cint(3)
const ATP_REPLICA_RHO = Cint(4)
const ATP_REPLICA_Q = Cint(5)
const ATP_REPLICA_M = Cint(6)
const ATP_REPLICA_V = Cint(7)
const ATP_REPLICA_QHAT = Cint(8)
const ATP_REPLICA_MHAT = Cint(9)
const ATP_REPLICA_VHAT = Cint(10)
const ATP_REPLICA_KAPPA = Cint(11)
const ATP_REPLICA_NORM = Cint(12)
const ATP_REPLICA_FREE_ENERGY = Cint(13)
const ATP_REPLICA_ITERATIONS = Cint(14)
const ATP_REPLICA_RESIDUAL = Cint(15)
const ATP_REPLICA_OUTCOME = Cint(16)
const ATP_REPLICA_QUADRATURE = Cint(17)
const ATP_REPLICA_SIM_ALPHA = Cint(0)
const ATP_REPLICA_SIM_EG = Cint(1)
const ATP_REPLICA_SIM_EG_SEM = Cint(2)
const ATP_REPLICA_SIM_ET = Cint(3)
const ATP_REPLICA_SIM_ET_SEM = Cint(4)
const ATP_REPLICA_SIM_SAMPLES = Cint(5)
const ATP_REPLICA_SIM_REALISATIONS = Cint(6)
const ATP_REPLICA_LOSS_SQUARE = Cint(1)
const ATP_REPLICA_LOSS_HUBER = Cint(2)
const ATP_REPLICA_LOSS_LOGISTIC = Cint(3)
const ATP_SCORE_ZERO_SUM = Cint(1)
const ATP_SCORE_RAW = Cint(2)
const ATP_ABSENT_EXCLUDED = Cint(1)
const ATP_ABSENT_COUNTED = Cint(2)
const ATP_COMPARISON_SITES = Cint(0)
const ATP_COMPARISON_PAIRS = Cint(1)
const ATP_COMPARISON_COVARIANCES = Cint(2)
const ATP_COMPARISON_COUNT = Cint(0)
const ATP_COMPARISON_PEARSON = Cint(1)
const ATP_COMPARISON_SLOPE = Cint(2)
const ATP_COMPARISON_RMS = Cint(3)
const ATP_COMPARISON_LARGEST = Cint(4)
const ATP_OK = Cint(0)
const ATP_E_NULL = Cint(10)
const ATP_E_VALUE = Cint(11)
const ATP_E_SHAPE = Cint(12)
const ATP_E_NOT_FINITE = Cint(13)
const ATP_E_ALPHABET = Cint(14)
const ATP_E_SYMMETRY = Cint(15)
const ATP_E_CONFLICT = Cint(16)
const ATP_E_OPEN = Cint(20)
const ATP_E_READ = Cint(21)
const ATP_E_WRITE = Cint(22)
const ATP_E_FORMAT = Cint(23)
const ATP_E_CHECKSUM = Cint(24)
const ATP_E_OPTION = Cint(40)
const ATP_E_OPTION_RANGE = Cint(41)
const ATP_E_STAGE = Cint(60)
const ATP_E_UNSUPPORTED = Cint(61)
const ATP_E_MISMATCH = Cint(62)
const ATP_E_CALLBACK = Cint(63)
const ATP_E_MEMORY = Cint(64)
const ATP_E_TOO_LARGE = Cint(65)
const ATP_E_BUFFER = Cint(70)
const ATP_E_INTERNAL = Cint(90)
const ATP_OUTCOME_NONE = Cint(0)
const ATP_OUTCOME_CONVERGED = Cint(1)
const ATP_OUTCOME_MAX_ITER = Cint(2)
const ATP_OUTCOME_CANCELLED = Cint(3)
const ATP_OUTCOME_DIVERGED = Cint(4)
const ATP_OUTCOME_STALLED = Cint(5)
const ATP_DOTATTN_COLUMNS = Cint(18)
const ATP_DOTATTN_TRANSITION_COLUMNS = Cint(12)
const ATP_DOTATTN_SIM_COLUMNS = Cint(19)
const ATP_DOTATTN_TOKENS_COLUMNS = Cint(20)
const ATP_MISSING = Cint(255)
const ATP_REPLICA_COLUMNS = Cint(18)
const ATP_REPLICA_SIM_COLUMNS = Cint(7)
const ATP_COMPARISON_ROWS = Cint(3)
const ATP_COMPARISON_COLUMNS = Cint(5)

# The words of the enums, by the enums' names.
const WORDS = Dict{Symbol,Vector{Pair{Symbol,Cint}}}(
    :weight_rule => [:inclusive => 1, :strict => 2, :floor => 3],
    :log_level => [:info => 0, :warning => 1],
    :progress_key => [:step => 0, :total => 1, :seconds => 2, :train_loss => 3, :test_loss => 4, :optimal_loss => 5,
        :coupling_error => 6, :gradient_norm => 7, :rate => 8, :site_updates => 9, :energy => 10, :swap_rate => 11,
        :objective => 12],
    :dotattn_branch => [:semantic => 1, :positional => 2, :uninformed => 3],
    :dotattn_column => [:branch => 0, :omega => 1, :alpha => 2, :q => 3, :m => 4, :v => 5, :theta => 6, :eg => 7,
        :et => 8, :eg_linear => 9, :iterations => 10, :residual => 11, :outcome => 12, :quadrature => 13, :qhat => 14,
        :mhat => 15, :vhat => 16, :thetahat => 17],
    :dotattn_transition_column => [:omega => 0, :alpha_c => 1, :alpha_linear => 2, :semantic => 3, :positional => 4,
        :positional_end => 5, :error_c => 6, :error_linear => 7, :eg_linear => 8, :et => 9, :iterations => 10,
        :outcome => 11],
    :dotattn_start => [:semantic => 1, :positional => 2, :random => 3, :mixed => 4],
    :dotattn_sim_column => [:alpha => 0, :eg => 1, :eg_sem => 2, :et => 3, :et_sem => 4, :q => 5, :q_sem => 6,
        :m => 7, :m_sem => 8, :theta => 9, :theta_sem => 10, :q_least => 11, :q_least_sem => 12, :semantic => 13,
        :gradient => 14, :steps => 15, :samples => 16, :runs => 17, :outcome => 18],
    :dotattn_tokens_column => [:alpha => 0, :eg => 1, :eg_sem => 2, :et => 3, :et_sem => 4, :q => 5, :q_sem => 6,
        :m => 7, :m_sem => 8, :theta => 9, :theta_sem => 10, :q_least => 11, :q_least_sem => 12, :v => 13, :v_sem => 14,
        :iterations => 15, :residual => 16, :points => 17, :shifts => 18, :outcome => 19],
    :model_format => [:auto => 0, :hdf5 => 1, :plmc => 2, :ccmpred => 3, :adabm => 4, :bmdca => 5],
    :score_format => [:ccmpred => 1, :plmc => 2],
    :couplings => [:gaussian => 1, :contacts => 2],
    :color_matrix => [:gaussian => 1, :identity => 2],
    :gauge => [:colors => 1, :zero_sum => 2],
    :option => [:seed => 100, :chains => 101, :beta => 102, :temperatures => 103, :beta_hot => 104,
        :swap_interval => 105, :heads => 201, :map => 202, :rank => 203, :fields => 204, :colors_fixed => 205,
        :objective => 206, :optimizer => 207, :rate => 208, :batch => 209, :epochs => 210, :tolerance => 211,
        :l2_couplings => 212, :l2_colors => 213, :l2_fields => 214, :history => 215, :precision => 216,
        :momentum => 217, :init_scale => 218, :family => 219, :asymmetric => 220, :gaps => 221, :l2_scale => 222,
        :diagonal => 240, :scores_scaled => 241, :symmetrized => 242, :l2_pairs => 243, :architecture => 260,
        :blocks => 261, :width => 262, :hidden => 263, :positions => 264, :dial => 265, :unknown => 300, :colors => 301,
        :format => 302, :max_gaps_sequence => 303, :max_gaps_column => 304, :remove_duplicates => 305,
        :max_unpacked => 306],
    :family => [:factored => 1, :dense => 2],
    :gaps => [:state => 1, :ignore => 2],
    :l2_scale => [:absolute => 1, :sites => 2, :sites_colors => 3, :weight => 4],
    :map => [:free => 1, :softmax => 2, :lowrank => 3],
    :diagonal => [:before => 1, :after => 2],
    :objective => [:pseudolikelihood => 1, :mlm => 2],
    :optimizer => [:lbfgs => 1, :sgd => 2, :adam => 3],
    :architecture => [:encoder => 1, :dial => 2],
    :positions => [:none => 0, :sinusoidal => 1],
    :format => [:auto => 0, :hdf5 => 1, :fasta => 2, :integers => 3, :a2m => 4, :a3m => 5, :stockholm => 6,
        :aln => 7, :named => 8],
    :unknown => [:gap => 1, :drop => 2, :error => 3],
    :replica_column => [:alpha => 0, :lambda => 1, :eg => 2, :et => 3, :rho => 4, :q => 5, :m => 6, :v => 7,
        :qhat => 8, :mhat => 9, :vhat => 10, :kappa => 11, :norm => 12, :free_energy => 13, :iterations => 14,
        :residual => 15, :outcome => 16, :quadrature => 17],
    :replica_sim_column => [:alpha => 0, :eg => 1, :eg_sem => 2, :et => 3, :et_sem => 4, :samples => 5,
        :realisations => 6],
    :replica_loss => [:square => 1, :huber => 2, :logistic => 3],
    :score_gauge => [:zero_sum => 1, :raw => 2],
    :absent => [:excluded => 1, :counted => 2],
    :comparison_row => [:sites => 0, :pairs => 1, :covariances => 2],
    :comparison_column => [:count => 0, :pearson => 1, :slope => 2, :rms => 3, :largest => 4],
    :status => [:ok => 0, :e_null => 10, :e_value => 11, :e_shape => 12, :e_not_finite => 13, :e_alphabet => 14,
        :e_symmetry => 15, :e_conflict => 16, :e_open => 20, :e_read => 21, :e_write => 22, :e_format => 23,
        :e_checksum => 24, :e_option => 40, :e_option_range => 41, :e_stage => 60, :e_unsupported => 61,
        :e_mismatch => 62, :e_callback => 63, :e_memory => 64, :e_too_large => 65, :e_buffer => 70, :e_internal => 90],
    :outcome => [:none => 0, :converged => 1, :max_iter => 2, :cancelled => 3, :diverged => 4, :stalled => 5],
)

const P_atp_alignment_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_create(context, sequences, n, sites, colors, weights, out) =
    ccall(P_atp_alignment_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}),
        context, sequences, n, sites, colors, weights, out)
const P_atp_alignment_read = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_read(context, path, alphabet, options, out) =
    ccall(P_atp_alignment_read[], Cint, (Ptr{Cvoid}, Cstring, Cstring, Ptr{Cvoid}, Ptr{Cvoid}), context, path,
        alphabet, options, out)
const P_atp_alignment_select = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_select(context, source, first, count, stride, out) =
    ccall(P_atp_alignment_select[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}), context,
        source, first, count, stride, out)
const P_atp_alignment_find = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_find(alignment, name, index) =
    ccall(P_atp_alignment_find[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), alignment, name, index)
const P_atp_alignment_focus = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_focus(context, source, name, out) =
    ccall(P_atp_alignment_focus[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, source, name, out)
const P_atp_alignment_filter = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_filter(context, source, options, counts, size, out) =
    ccall(P_atp_alignment_filter[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}),
        context, source, options, counts, size, out)
const P_atp_alignment_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_destroy(alignment) =
    ccall(P_atp_alignment_destroy[], Cvoid, (Ptr{Cvoid},), alignment)
const P_atp_alignment_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_count(alignment) =
    ccall(P_atp_alignment_count[], Int64, (Ptr{Cvoid},), alignment)
const P_atp_alignment_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_sites(alignment) =
    ccall(P_atp_alignment_sites[], Int64, (Ptr{Cvoid},), alignment)
const P_atp_alignment_colors = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_colors(alignment) =
    ccall(P_atp_alignment_colors[], Int64, (Ptr{Cvoid},), alignment)
const P_atp_alignment_effective_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_effective_count(alignment) =
    ccall(P_atp_alignment_effective_count[], Cdouble, (Ptr{Cvoid},), alignment)
const P_atp_alignment_sequences_view = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_sequences_view(alignment) =
    ccall(P_atp_alignment_sequences_view[], Ptr{Cvoid}, (Ptr{Cvoid},), alignment)
const P_atp_alignment_weights_view = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_weights_view(alignment) =
    ccall(P_atp_alignment_weights_view[], Ptr{Cvoid}, (Ptr{Cvoid},), alignment)
const P_atp_alignment_set_weights = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_set_weights(alignment, weights, n) =
    ccall(P_atp_alignment_set_weights[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), alignment, weights, n)
const P_atp_alignment_weigh = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_weigh(alignment, theta, rule) =
    ccall(P_atp_alignment_weigh[], Cint, (Ptr{Cvoid}, Cdouble, Cint), alignment, theta, rule)
const P_atp_alignment_auto_theta = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_auto_theta(alignment, theta) =
    ccall(P_atp_alignment_auto_theta[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), alignment, theta)
const P_atp_alignment_alphabet = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_alphabet(alignment) =
    ccall(P_atp_alignment_alphabet[], Cstring, (Ptr{Cvoid},), alignment)
const P_atp_alignment_set_alphabet = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_set_alphabet(alignment, symbols) =
    ccall(P_atp_alignment_set_alphabet[], Cint, (Ptr{Cvoid}, Cstring), alignment, symbols)
const P_atp_alignment_site_numbers_view = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_site_numbers_view(alignment) =
    ccall(P_atp_alignment_site_numbers_view[], Ptr{Cvoid}, (Ptr{Cvoid},), alignment)
const P_atp_alignment_site_residues = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_site_residues(alignment) =
    ccall(P_atp_alignment_site_residues[], Cstring, (Ptr{Cvoid},), alignment)
const P_atp_alignment_set_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_set_sites(alignment, numbers, n, residues) =
    ccall(P_atp_alignment_set_sites[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Cstring), alignment, numbers, n,
        residues)
const P_atp_alignment_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_name(alignment, index) =
    ccall(P_atp_alignment_name[], Cstring, (Ptr{Cvoid}, Int64), alignment, index)
const P_atp_alignment_origin = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_origin(alignment) =
    ccall(P_atp_alignment_origin[], Cstring, (Ptr{Cvoid},), alignment)
const P_atp_alignment_set_origin = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_set_origin(alignment, text) =
    ccall(P_atp_alignment_set_origin[], Cint, (Ptr{Cvoid}, Cstring), alignment, text)
const P_atp_alignment_frequencies = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_frequencies(alignment, pseudocount, frequencies, size) =
    ccall(P_atp_alignment_frequencies[], Cint, (Ptr{Cvoid}, Cdouble, Ptr{Cvoid}, Int64), alignment, pseudocount,
        frequencies, size)
const P_atp_alignment_pair_frequencies = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_pair_frequencies(alignment, pseudocount, pairs, size) =
    ccall(P_atp_alignment_pair_frequencies[], Cint, (Ptr{Cvoid}, Cdouble, Ptr{Cvoid}, Int64), alignment,
        pseudocount, pairs, size)
const P_atp_alignment_covariances = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_covariances(alignment, pseudocount, covariances, size) =
    ccall(P_atp_alignment_covariances[], Cint, (Ptr{Cvoid}, Cdouble, Ptr{Cvoid}, Int64), alignment, pseudocount,
        covariances, size)
const P_atp_alignment_independent_loss = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_independent_loss(alignment, frequencies, size, loss) =
    ccall(P_atp_alignment_independent_loss[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), alignment,
        frequencies, size, loss)
const P_atp_progress_value = Ref{Ptr{Cvoid}}(C_NULL)
atp_progress_value(progress, key) =
    ccall(P_atp_progress_value[], Cdouble, (Ptr{Cvoid}, Cint), progress, key)
const P_atp_context_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_create(alloc, release, user, out) =
    ccall(P_atp_context_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), alloc, release, user, out)
const P_atp_context_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_destroy(context) =
    ccall(P_atp_context_destroy[], Cvoid, (Ptr{Cvoid},), context)
const P_atp_context_set_threads = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_set_threads(context, threads) =
    ccall(P_atp_context_set_threads[], Cint, (Ptr{Cvoid}, Int64), context, threads)
const P_atp_context_threads = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_threads(context) =
    ccall(P_atp_context_threads[], Int64, (Ptr{Cvoid},), context)
const P_atp_context_set_simd = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_set_simd(context, name) =
    ccall(P_atp_context_set_simd[], Cint, (Ptr{Cvoid}, Cstring), context, name)
const P_atp_context_simd = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_simd(context) =
    ccall(P_atp_context_simd[], Cstring, (Ptr{Cvoid},), context)
const P_atp_simd_target = Ref{Ptr{Cvoid}}(C_NULL)
atp_simd_target(index) =
    ccall(P_atp_simd_target[], Cstring, (Int64,), index)
const P_atp_context_set_log = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_set_log(context, log, user) =
    ccall(P_atp_context_set_log[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, log, user)
const P_atp_context_error = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_error(context, buffer, size) =
    ccall(P_atp_context_error[], Int64, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), context, buffer, size)
const P_atp_context_memory = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_memory(context, count, bytes) =
    ccall(P_atp_context_memory[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, count, bytes)
const P_atp_context_set_memory_limit = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_set_memory_limit(context, bytes) =
    ccall(P_atp_context_set_memory_limit[], Cint, (Ptr{Cvoid}, Int64), context, bytes)
const P_atp_context_memory_limit = Ref{Ptr{Cvoid}}(C_NULL)
atp_context_memory_limit(context, limit, available) =
    ccall(P_atp_context_memory_limit[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, limit, available)
const P_atp_autocorrelation_time = Ref{Ptr{Cvoid}}(C_NULL)
atp_autocorrelation_time(series, chains, n, tau, tau_error) =
    ccall(P_atp_autocorrelation_time[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}), series, chains, n,
        tau, tau_error)
const P_atp_split_rhat = Ref{Ptr{Cvoid}}(C_NULL)
atp_split_rhat(series, chains, n, rhat) =
    ccall(P_atp_split_rhat[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}), series, chains, n, rhat)
const P_atp_hamming_histogram = Ref{Ptr{Cvoid}}(C_NULL)
atp_hamming_histogram(sequences, n, sites, counts, size, mean) =
    ccall(P_atp_hamming_histogram[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}), sequences, n,
        sites, counts, size, mean)
const P_atp_dotattn_column_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_column_name(column) =
    ccall(P_atp_dotattn_column_name[], Cstring, (Cint,), column)
const P_atp_dotattn_column_find = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_column_find(name) =
    ccall(P_atp_dotattn_column_find[], Cint, (Cstring,), name)
const P_atp_dotattn_transition_column_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_transition_column_name(column) =
    ccall(P_atp_dotattn_transition_column_name[], Cstring, (Cint,), column)
const P_atp_dotattn_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_bytes(context, n_alphas, bytes) =
    ccall(P_atp_dotattn_bytes[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, n_alphas, bytes)
const P_atp_dotattn_curve = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_curve(context, teacher, teacher_size, omega, sigma, lambda, branch, alphas, n_alphas, accuracy,
    max_iter, progress, user, rows, size, outcome) =
    ccall(P_atp_dotattn_curve[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Cdouble, Cdouble, Cdouble, Cint, Ptr{Cvoid},
        Int64, Cdouble, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, teacher, teacher_size,
        omega, sigma, lambda, branch, alphas, n_alphas, accuracy, max_iter, progress, user, rows, size, outcome)
const P_atp_dotattn_transition = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_transition(context, teacher, teacher_size, sigma, lambda, omegas, n_omegas, accuracy, max_iter,
    progress, user, rows, size, outcome) =
    ccall(P_atp_dotattn_transition[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Cdouble, Cdouble, Ptr{Cvoid}, Int64,
        Cdouble, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, teacher, teacher_size, sigma,
        lambda, omegas, n_omegas, accuracy, max_iter, progress, user, rows, size, outcome)
const P_atp_dotattn_linear = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_linear(teacher, teacher_size, omega, sigma, map, map_size, loss) =
    ccall(P_atp_dotattn_linear[], Cint, (Ptr{Cvoid}, Int64, Cdouble, Cdouble, Ptr{Cvoid}, Int64, Ptr{Cvoid}),
        teacher, teacher_size, omega, sigma, map, map_size, loss)
const P_atp_dotattn_sim_column_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_sim_column_name(column) =
    ccall(P_atp_dotattn_sim_column_name[], Cstring, (Cint,), column)
const P_atp_dotattn_sim_column_find = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_sim_column_find(name) =
    ccall(P_atp_dotattn_sim_column_find[], Cint, (Cstring,), name)
const P_atp_dotattn_simulate_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_simulate_bytes(context, dimension, tokens, code_columns, rank, alphas, n_alphas, optimizer, runs,
    bytes) =
    ccall(P_atp_dotattn_simulate_bytes[], Cint, (Ptr{Cvoid}, Int64, Int64, Int64, Int64, Ptr{Cvoid}, Int64, Cint,
        Int64, Ptr{Cvoid}), context, dimension, tokens, code_columns, rank, alphas, n_alphas, optimizer, runs, bytes)
const P_atp_dotattn_simulate = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_simulate(context, dimension, tokens, code, code_columns, code_size, rank, teacher, teacher_size, omega,
    sigma, lambda, alphas, n_alphas, start, optimizer, steps, rate, tolerance, fresh, runs, seed, progress, user, rows,
    size, outcome) =
    ccall(P_atp_dotattn_simulate[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid},
        Int64, Cdouble, Cdouble, Cdouble, Ptr{Cvoid}, Int64, Cint, Cint, Int64, Cdouble, Cdouble, Int64, Int64, UInt64,
        Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, dimension, tokens, code, code_columns,
        code_size, rank, teacher, teacher_size, omega, sigma, lambda, alphas, n_alphas, start, optimizer, steps, rate,
        tolerance, fresh, runs, seed, progress, user, rows, size, outcome)
const P_atp_dotattn_tokens_column_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_tokens_column_name(column) =
    ccall(P_atp_dotattn_tokens_column_name[], Cstring, (Cint,), column)
const P_atp_dotattn_tokens_column_find = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_tokens_column_find(name) =
    ccall(P_atp_dotattn_tokens_column_find[], Cint, (Cstring,), name)
const P_atp_dotattn_tokens_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_tokens_bytes(context, tokens, rank, n_alphas, points, shifts, bytes) =
    ccall(P_atp_dotattn_tokens_bytes[], Cint, (Ptr{Cvoid}, Int64, Int64, Int64, Int64, Int64, Ptr{Cvoid}), context,
        tokens, rank, n_alphas, points, shifts, bytes)
const P_atp_dotattn_tokens = Ref{Ptr{Cvoid}}(C_NULL)
atp_dotattn_tokens(context, tokens, code, code_columns, code_size, rank, teacher, teacher_size, omega, sigma,
    lambda, alphas, n_alphas, solution, points, shifts, seed, tolerance, max_iter, progress, user, rows, size,
    outcome) =
    ccall(P_atp_dotattn_tokens[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}, Int64,
        Cdouble, Cdouble, Cdouble, Ptr{Cvoid}, Int64, Cint, Int64, Int64, UInt64, Cdouble, Int64, Ptr{Cvoid},
        Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, tokens, code, code_columns, code_size, rank, teacher,
        teacher_size, omega, sigma, lambda, alphas, n_alphas, solution, points, shifts, seed, tolerance, max_iter,
        progress, user, rows, size, outcome)
const P_atp_input_open = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_open(context, path, out) =
    ccall(P_atp_input_open[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, path, out)
const P_atp_input_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_destroy(input) =
    ccall(P_atp_input_destroy[], Cvoid, (Ptr{Cvoid},), input)
const P_atp_input_kind = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_kind(input) =
    ccall(P_atp_input_kind[], Cstring, (Ptr{Cvoid},), input)
const P_atp_input_size = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_size(input) =
    ccall(P_atp_input_size[], Int64, (Ptr{Cvoid},), input)
const P_atp_input_bytes_view = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_bytes_view(input) =
    ccall(P_atp_input_bytes_view[], Ptr{Cvoid}, (Ptr{Cvoid},), input)
const P_atp_input_alignment = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_alignment(input, alphabet, options, out) =
    ccall(P_atp_input_alignment[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Ptr{Cvoid}), input, alphabet, options,
        out)
const P_atp_input_model = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_model(input, format, alphabet, out) =
    ccall(P_atp_input_model[], Cint, (Ptr{Cvoid}, Cint, Cstring, Ptr{Cvoid}), input, format, alphabet, out)
const P_atp_input_scores_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_scores_sites(input, sites) =
    ccall(P_atp_input_scores_sites[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), input, sites)
const P_atp_input_scores = Ref{Ptr{Cvoid}}(C_NULL)
atp_input_scores(input, scores, size, numbers, residues) =
    ccall(P_atp_input_scores[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), input, scores, size,
        numbers, residues)
const P_atp_alignment_write = Ref{Ptr{Cvoid}}(C_NULL)
atp_alignment_write(context, alignment, format, path) =
    ccall(P_atp_alignment_write[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cint, Cstring), context, alignment, format, path)
const P_atp_model_write_as = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_write_as(context, model, alignment, format, path) =
    ccall(P_atp_model_write_as[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Cint, Cstring), context, model,
        alignment, format, path)
const P_atp_model_read_as = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_read_as(context, path, format, alphabet, out) =
    ccall(P_atp_model_read_as[], Cint, (Ptr{Cvoid}, Cstring, Cint, Cstring, Ptr{Cvoid}), context, path, format,
        alphabet, out)
const P_atp_scores_write = Ref{Ptr{Cvoid}}(C_NULL)
atp_scores_write(context, scores, sites, size, numbers, residues, format, path) =
    ccall(P_atp_scores_write[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Cstring, Cint, Cstring),
        context, scores, sites, size, numbers, residues, format, path)
const P_atp_scores_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_scores_sites(context, path, sites) =
    ccall(P_atp_scores_sites[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, path, sites)
const P_atp_scores_read = Ref{Ptr{Cvoid}}(C_NULL)
atp_scores_read(context, path, scores, size, numbers, residues) =
    ccall(P_atp_scores_read[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), context,
        path, scores, size, numbers, residues)
const P_atp_model_write = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_write(context, model, path) =
    ccall(P_atp_model_write[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cstring), context, model, path)
const P_atp_model_read = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_read(context, path, out) =
    ccall(P_atp_model_read[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, path, out)
const P_atp_file_kind = Ref{Ptr{Cvoid}}(C_NULL)
atp_file_kind(context, path, kind) =
    ccall(P_atp_file_kind[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, path, kind)
const P_atp_file_write = Ref{Ptr{Cvoid}}(C_NULL)
atp_file_write(context, path, bytes, size) =
    ccall(P_atp_file_write[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Int64), context, path, bytes, size)
const P_atp_file_writable = Ref{Ptr{Cvoid}}(C_NULL)
atp_file_writable(path, replaced) =
    ccall(P_atp_file_writable[], Cint, (Cstring, Ptr{Cvoid}), path, replaced)
const P_atp_file_size = Ref{Ptr{Cvoid}}(C_NULL)
atp_file_size(context, path, size) =
    ccall(P_atp_file_size[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}), context, path, size)
const P_atp_file_read = Ref{Ptr{Cvoid}}(C_NULL)
atp_file_read(context, path, bytes, size) =
    ccall(P_atp_file_read[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Int64), context, path, bytes, size)
const P_atp_model_create_heads = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_create_heads(context, sites, colors, heads, maps, values, fields, out) =
    ccall(P_atp_model_create_heads[], Cint, (Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid},
        Ptr{Cvoid}), context, sites, colors, heads, maps, values, fields, out)
const P_atp_model_create_dense_f64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_create_dense_f64(context, sites, colors, couplings, fields, out) =
    ccall(P_atp_model_create_dense_f64[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}),
        context, sites, colors, couplings, fields, out)
const P_atp_model_create_dense_f32 = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_create_dense_f32(context, sites, colors, couplings, fields, out) =
    ccall(P_atp_model_create_dense_f32[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}),
        context, sites, colors, couplings, fields, out)
const P_atp_model_create_random = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_create_random(context, sites, colors, couplings, color_matrix, seed, out) =
    ccall(P_atp_model_create_random[], Cint, (Ptr{Cvoid}, Int64, Int64, Cint, Cint, Int64, Ptr{Cvoid}), context,
        sites, colors, couplings, color_matrix, seed, out)
const P_atp_model_copy = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_copy(context, source, out) =
    ccall(P_atp_model_copy[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, source, out)
const P_atp_model_gauge = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_gauge(context, source, gauge, out) =
    ccall(P_atp_model_gauge[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cint, Ptr{Cvoid}), context, source, gauge, out)
const P_atp_model_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_destroy(model) =
    ccall(P_atp_model_destroy[], Cvoid, (Ptr{Cvoid},), model)
const P_atp_model_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_sites(model) =
    ccall(P_atp_model_sites[], Int64, (Ptr{Cvoid},), model)
const P_atp_model_colors = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_colors(model) =
    ccall(P_atp_model_colors[], Int64, (Ptr{Cvoid},), model)
const P_atp_model_heads = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_heads(model) =
    ccall(P_atp_model_heads[], Int64, (Ptr{Cvoid},), model)
const P_atp_model_has_fields = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_has_fields(model) =
    ccall(P_atp_model_has_fields[], Cint, (Ptr{Cvoid},), model)
const P_atp_model_is_symmetric = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_is_symmetric(model) =
    ccall(P_atp_model_is_symmetric[], Cint, (Ptr{Cvoid},), model)
const P_atp_model_beta = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_beta(model) =
    ccall(P_atp_model_beta[], Cdouble, (Ptr{Cvoid},), model)
const P_atp_model_set_beta = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_set_beta(model, beta) =
    ccall(P_atp_model_set_beta[], Cint, (Ptr{Cvoid}, Cdouble), model, beta)
const P_atp_model_alphabet = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_alphabet(model) =
    ccall(P_atp_model_alphabet[], Cstring, (Ptr{Cvoid},), model)
const P_atp_model_set_alphabet = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_set_alphabet(model, symbols) =
    ccall(P_atp_model_set_alphabet[], Cint, (Ptr{Cvoid}, Cstring), model, symbols)
const P_atp_model_site_numbers_view = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_site_numbers_view(model) =
    ccall(P_atp_model_site_numbers_view[], Ptr{Cvoid}, (Ptr{Cvoid},), model)
const P_atp_model_site_residues = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_site_residues(model) =
    ccall(P_atp_model_site_residues[], Cstring, (Ptr{Cvoid},), model)
const P_atp_model_set_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_set_sites(model, numbers, n, residues) =
    ccall(P_atp_model_set_sites[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Cstring), model, numbers, n, residues)
const P_atp_model_maps = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_maps(model, maps, size) =
    ccall(P_atp_model_maps[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), model, maps, size)
const P_atp_model_values = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_values(model, values, size) =
    ccall(P_atp_model_values[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), model, values, size)
const P_atp_model_fields = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_fields(model, fields, size) =
    ccall(P_atp_model_fields[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), model, fields, size)
const P_atp_model_couplings_f64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_couplings_f64(model, couplings, size) =
    ccall(P_atp_model_couplings_f64[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), model, couplings, size)
const P_atp_model_couplings_f32 = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_couplings_f32(model, couplings, size) =
    ccall(P_atp_model_couplings_f32[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), model, couplings, size)
const P_atp_model_conditionals = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_conditionals(model, sequences, n, conditionals, size) =
    ccall(P_atp_model_conditionals[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), model, sequences, n,
        conditionals, size)
const P_atp_model_energies = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_energies(model, sequences, n, energies) =
    ccall(P_atp_model_energies[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), model, sequences, n, energies)
const P_atp_model_log_pseudolikelihoods = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_log_pseudolikelihoods(model, sequences, n, values) =
    ccall(P_atp_model_log_pseudolikelihoods[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), model, sequences,
        n, values)
const P_atp_model_loss = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_loss(context, model, alignment, loss) =
    ccall(P_atp_model_loss[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, model, alignment,
        loss)
const P_atp_model_coupling_error = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_coupling_error(context, model, truth, error) =
    ccall(P_atp_model_coupling_error[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, model,
        truth, error)
const P_atp_model_enumerate = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_enumerate(model, log_z, energy, marginals, pairs, probabilities) =
    ccall(P_atp_model_enumerate[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}),
        model, log_z, energy, marginals, pairs, probabilities)
const P_atp_options_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_create(context, out) =
    ccall(P_atp_options_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), context, out)
const P_atp_options_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_destroy(options) =
    ccall(P_atp_options_destroy[], Cvoid, (Ptr{Cvoid},), options)
const P_atp_options_reset = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_reset(options) =
    ccall(P_atp_options_reset[], Cint, (Ptr{Cvoid},), options)
const P_atp_options_set_i64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_set_i64(options, key, value) =
    ccall(P_atp_options_set_i64[], Cint, (Ptr{Cvoid}, Cint, Int64), options, key, value)
const P_atp_options_set_f64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_set_f64(options, key, value) =
    ccall(P_atp_options_set_f64[], Cint, (Ptr{Cvoid}, Cint, Cdouble), options, key, value)
const P_atp_options_get_i64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_get_i64(options, key, value) =
    ccall(P_atp_options_get_i64[], Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}), options, key, value)
const P_atp_options_get_f64 = Ref{Ptr{Cvoid}}(C_NULL)
atp_options_get_f64(options, key, value) =
    ccall(P_atp_options_get_f64[], Cint, (Ptr{Cvoid}, Cint, Ptr{Cvoid}), options, key, value)
const P_atp_option_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_option_count() =
    ccall(P_atp_option_count[], Int64, ())
const P_atp_option_at = Ref{Ptr{Cvoid}}(C_NULL)
atp_option_at(index) =
    ccall(P_atp_option_at[], Cint, (Int64,), index)
const P_atp_option_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_option_name(key) =
    ccall(P_atp_option_name[], Cstring, (Cint,), key)
const P_atp_option_from_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_option_from_name(name) =
    ccall(P_atp_option_from_name[], Cint, (Cstring,), name)
const P_atp_option_bounds = Ref{Ptr{Cvoid}}(C_NULL)
atp_option_bounds(key, lowest, highest, initial, is_integer) =
    ccall(P_atp_option_bounds[], Cint, (Cint, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), key, lowest, highest,
        initial, is_integer)
const P_atp_replica_column_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_column_name(column) =
    ccall(P_atp_replica_column_name[], Cstring, (Cint,), column)
const P_atp_replica_column_find = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_column_find(name) =
    ccall(P_atp_replica_column_find[], Cint, (Cstring,), name)
const P_atp_replica_goe = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_goe(sites, shift, seed, precision, size) =
    ccall(P_atp_replica_goe[], Cint, (Int64, Cdouble, UInt64, Ptr{Cvoid}, Int64), sites, shift, seed, precision,
        size)
const P_atp_replica_mask_workspace = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_mask_workspace(sites, doubles) =
    ccall(P_atp_replica_mask_workspace[], Cint, (Int64, Ptr{Cvoid}), sites, doubles)
const P_atp_replica_mask_precision = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_mask_precision(precision, sites, site, covariance, covariance_size, teacher, teacher_size, noise, work,
    work_size) =
    ccall(P_atp_replica_mask_precision[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64,
        Ptr{Cvoid}, Ptr{Cvoid}, Int64), precision, sites, site, covariance, covariance_size, teacher, teacher_size,
        noise, work, work_size)
const P_atp_replica_mask_covariance = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_mask_covariance(full, sites, site, covariance, covariance_size, teacher, teacher_size, noise, work,
    work_size) =
    ccall(P_atp_replica_mask_covariance[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64,
        Ptr{Cvoid}, Ptr{Cvoid}, Int64), full, sites, site, covariance, covariance_size, teacher, teacher_size, noise,
        work, work_size)
const P_atp_replica_spectrum_workspace = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_spectrum_workspace(parameters, doubles) =
    ccall(P_atp_replica_spectrum_workspace[], Cint, (Int64, Ptr{Cvoid}), parameters, doubles)
const P_atp_replica_spectrum = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_spectrum(covariance, covariance_size, teacher, parameters, eigenvalues, projections, size, work,
    work_size) =
    ccall(P_atp_replica_spectrum[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64,
        Ptr{Cvoid}, Int64), covariance, covariance_size, teacher, parameters, eigenvalues, projections, size, work,
        work_size)
const P_atp_replica_square = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_square(eigenvalues, n_eigenvalues, projections, n_projections, noise, alphas, n_alphas, lambda,
    temperature, rows, size, outcome) =
    ccall(P_atp_replica_square[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Ptr{Cvoid}, Int64, Cdouble,
        Cdouble, Ptr{Cvoid}, Int64, Ptr{Cvoid}), eigenvalues, n_eigenvalues, projections, n_projections, noise, alphas,
        n_alphas, lambda, temperature, rows, size, outcome)
const P_atp_replica_square_saddle = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_square_saddle(eigenvalues, n_eigenvalues, projections, n_projections, noise, alphas, n_alphas, lambda,
    temperature, max_iter, rows, size, outcome) =
    ccall(P_atp_replica_square_saddle[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Ptr{Cvoid}, Int64,
        Cdouble, Cdouble, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}), eigenvalues, n_eigenvalues, projections, n_projections,
        noise, alphas, n_alphas, lambda, temperature, max_iter, rows, size, outcome)
const P_atp_replica_limit = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_limit(shift, alphas, n_alphas, lambda, temperature, rows, size, outcome) =
    ccall(P_atp_replica_limit[], Cint, (Cdouble, Ptr{Cvoid}, Int64, Cdouble, Cdouble, Ptr{Cvoid}, Int64,
        Ptr{Cvoid}), shift, alphas, n_alphas, lambda, temperature, rows, size, outcome)
const P_atp_replica_simulate_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_simulate_bytes(context, parameters, alphas, n_alphas, lambda, realisations, bytes) =
    ccall(P_atp_replica_simulate_bytes[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Int64, Ptr{Cvoid}),
        context, parameters, alphas, n_alphas, lambda, realisations, bytes)
const P_atp_replica_simulate = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_simulate(context, covariance, covariance_size, teacher, parameters, noise, alphas, n_alphas, lambda,
    realisations, seed, progress, user, rows, size, outcome) =
    ccall(P_atp_replica_simulate[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Ptr{Cvoid},
        Int64, Cdouble, Int64, UInt64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}), context, covariance,
        covariance_size, teacher, parameters, noise, alphas, n_alphas, lambda, realisations, seed, progress, user, rows,
        size, outcome)
const P_atp_replica_convex_workspace = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_convex_workspace(doubles) =
    ccall(P_atp_replica_convex_workspace[], Cint, (Ptr{Cvoid},), doubles)
const P_atp_replica_convex = Ref{Ptr{Cvoid}}(C_NULL)
atp_replica_convex(eigenvalues, n_eigenvalues, projections, n_projections, noise, loss, delta, alphas, n_alphas,
    lambda, max_iter, work, work_size, rows, size, optimum, outcome) =
    ccall(P_atp_replica_convex[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Cint, Cdouble, Ptr{Cvoid},
        Int64, Cdouble, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}), eigenvalues,
        n_eigenvalues, projections, n_projections, noise, loss, delta, alphas, n_alphas, lambda, max_iter, work,
        work_size, rows, size, optimum, outcome)
const P_atp_sampler_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_bytes(context, model, options, bytes) =
    ccall(P_atp_sampler_bytes[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, model, options,
        bytes)
const P_atp_sampler_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_create(context, model, options, out) =
    ccall(P_atp_sampler_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, model, options,
        out)
const P_atp_sampler_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_destroy(sampler) =
    ccall(P_atp_sampler_destroy[], Cvoid, (Ptr{Cvoid},), sampler)
const P_atp_sampler_chains = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_chains(sampler) =
    ccall(P_atp_sampler_chains[], Int64, (Ptr{Cvoid},), sampler)
const P_atp_sampler_sites = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_sites(sampler) =
    ccall(P_atp_sampler_sites[], Int64, (Ptr{Cvoid},), sampler)
const P_atp_sampler_temperatures = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_temperatures(sampler) =
    ccall(P_atp_sampler_temperatures[], Int64, (Ptr{Cvoid},), sampler)
const P_atp_sampler_sweeps = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_sweeps(sampler) =
    ccall(P_atp_sampler_sweeps[], Int64, (Ptr{Cvoid},), sampler)
const P_atp_sampler_betas = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_betas(sampler, betas, size) =
    ccall(P_atp_sampler_betas[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), sampler, betas, size)
const P_atp_sampler_set_betas = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_set_betas(sampler, betas, size) =
    ccall(P_atp_sampler_set_betas[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), sampler, betas, size)
const P_atp_sampler_swap_rates = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_swap_rates(sampler, rates, size) =
    ccall(P_atp_sampler_swap_rates[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), sampler, rates, size)
const P_atp_sampler_start_random = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_start_random(sampler) =
    ccall(P_atp_sampler_start_random[], Cint, (Ptr{Cvoid},), sampler)
const P_atp_sampler_start_from = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_start_from(sampler, sequences, n, sites) =
    ccall(P_atp_sampler_start_from[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64), sampler, sequences, n, sites)
const P_atp_sampler_sweep = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_sweep(sampler, sweeps, progress, user, outcome) =
    ccall(P_atp_sampler_sweep[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), sampler, sweeps,
        progress, user, outcome)
const P_atp_sampler_sample = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_sample(sampler, n, thin, sequences, size, energies, done, progress, user, outcome) =
    ccall(P_atp_sampler_sample[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid},
        Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), sampler, n, thin, sequences, size, energies, done, progress, user, outcome)
const P_atp_sampler_states = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_states(sampler, rung, sequences, size) =
    ccall(P_atp_sampler_states[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), sampler, rung, sequences, size)
const P_atp_sampler_energies = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_energies(sampler, rung, energies, size) =
    ccall(P_atp_sampler_energies[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), sampler, rung, energies, size)
const P_atp_sampler_request_stop = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_request_stop(sampler) =
    ccall(P_atp_sampler_request_stop[], Cvoid, (Ptr{Cvoid},), sampler)
const P_atp_sampler_state_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_state_bytes(sampler) =
    ccall(P_atp_sampler_state_bytes[], Int64, (Ptr{Cvoid},), sampler)
const P_atp_sampler_save_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_save_state(sampler, buffer, size) =
    ccall(P_atp_sampler_save_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), sampler, buffer, size)
const P_atp_sampler_load_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_sampler_load_state(sampler, buffer, size) =
    ccall(P_atp_sampler_load_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), sampler, buffer, size)
const P_atp_tune_beta = Ref{Ptr{Cvoid}}(C_NULL)
atp_tune_beta(context, model, options, target, progress, user, beta, beta_error, hamming, hamming_error, outcome) =
    ccall(P_atp_tune_beta[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Cdouble, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid},
        Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, model, options, target, progress, user, beta,
        beta_error, hamming, hamming_error, outcome)
const P_atp_model_frobenius = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_frobenius(context, model, gauge, gap, scores, size) =
    ccall(P_atp_model_frobenius[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Cint, Int64, Ptr{Cvoid}, Int64), context, model,
        gauge, gap, scores, size)
const P_atp_scores_apc = Ref{Ptr{Cvoid}}(C_NULL)
atp_scores_apc(scores, sites, corrected, size) =
    ccall(P_atp_scores_apc[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64), scores, sites, corrected, size)
const P_atp_scores_rank = Ref{Ptr{Cvoid}}(C_NULL)
atp_scores_rank(scores, sites, numbers, separation, pairs, capacity, count) =
    ccall(P_atp_scores_rank[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid}), scores,
        sites, numbers, separation, pairs, capacity, count)
const P_atp_distances_read = Ref{Ptr{Cvoid}}(C_NULL)
atp_distances_read(context, path, numbers, sites, distances, size, pairs, used) =
    ccall(P_atp_distances_read[], Cint, (Ptr{Cvoid}, Cstring, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Ptr{Cvoid},
        Ptr{Cvoid}), context, path, numbers, sites, distances, size, pairs, used)
const P_atp_pairs_precision = Ref{Ptr{Cvoid}}(C_NULL)
atp_pairs_precision(pairs, n, distances, sites, cutoff, absent, curve, counted) =
    ccall(P_atp_pairs_precision[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Int64, Cdouble, Cint, Ptr{Cvoid},
        Ptr{Cvoid}), pairs, n, distances, sites, cutoff, absent, curve, counted)
const P_atp_model_mutants = Ref{Ptr{Cvoid}}(C_NULL)
atp_model_mutants(context, model, sequence, sites, delta_energy, delta_log_pseudolikelihood, size) =
    ccall(P_atp_model_mutants[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64),
        context, model, sequence, sites, delta_energy, delta_log_pseudolikelihood, size)
const P_atp_statistics_compare = Ref{Ptr{Cvoid}}(C_NULL)
atp_statistics_compare(context, data, samples, numbers, size) =
    ccall(P_atp_statistics_compare[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), context, data,
        samples, numbers, size)
const P_atp_status_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_status_name(status) =
    ccall(P_atp_status_name[], Cstring, (Cint,), status)
const P_atp_status_string = Ref{Ptr{Cvoid}}(C_NULL)
atp_status_string(status) =
    ccall(P_atp_status_string[], Cstring, (Cint,), status)
const P_atp_outcome_name = Ref{Ptr{Cvoid}}(C_NULL)
atp_outcome_name(outcome) =
    ccall(P_atp_outcome_name[], Cstring, (Cint,), outcome)
const P_atp_last_error = Ref{Ptr{Cvoid}}(C_NULL)
atp_last_error(buffer, size) =
    ccall(P_atp_last_error[], Int64, (Ptr{Cvoid}, Int64), buffer, size)
const P_atp_trainer_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_bytes(context, n, sites, colors, options, bytes) =
    ccall(P_atp_trainer_bytes[], Cint, (Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}), context, n, sites,
        colors, options, bytes)
const P_atp_trainer_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_create(context, train, options, out) =
    ccall(P_atp_trainer_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, train, options,
        out)
const P_atp_trainer_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_destroy(trainer) =
    ccall(P_atp_trainer_destroy[], Cvoid, (Ptr{Cvoid},), trainer)
const P_atp_trainer_set_values = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_set_values(trainer, values, size) =
    ccall(P_atp_trainer_set_values[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, values, size)
const P_atp_trainer_set_test = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_set_test(trainer, test) =
    ccall(P_atp_trainer_set_test[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), trainer, test)
const P_atp_trainer_set_truth = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_set_truth(trainer, truth) =
    ccall(P_atp_trainer_set_truth[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), trainer, truth)
const P_atp_trainer_parameter_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_parameter_count(trainer) =
    ccall(P_atp_trainer_parameter_count[], Int64, (Ptr{Cvoid},), trainer)
const P_atp_trainer_parameters = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_parameters(trainer, parameters, size) =
    ccall(P_atp_trainer_parameters[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, parameters, size)
const P_atp_trainer_set_parameters = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_set_parameters(trainer, parameters, size) =
    ccall(P_atp_trainer_set_parameters[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, parameters, size)
const P_atp_trainer_gradient = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_gradient(trainer, loss, objective, gradient, size) =
    ccall(P_atp_trainer_gradient[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, loss,
        objective, gradient, size)
const P_atp_trainer_masked_gradient = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_masked_gradient(trainer, masked_sites, n, loss, objective, gradient, size) =
    ccall(P_atp_trainer_masked_gradient[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid},
        Int64), trainer, masked_sites, n, loss, objective, gradient, size)
const P_atp_trainer_loss = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_loss(trainer, alignment, loss) =
    ccall(P_atp_trainer_loss[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), trainer, alignment, loss)
const P_atp_trainer_start_wide = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_start_wide(trainer, heads, iterations, progress, user, outcome) =
    ccall(P_atp_trainer_start_wide[], Cint, (Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), trainer,
        heads, iterations, progress, user, outcome)
const P_atp_trainer_start_from = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_start_from(trainer, wide) =
    ccall(P_atp_trainer_start_from[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), trainer, wide)
const P_atp_trainer_run = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_run(trainer, epochs, progress, user, outcome) =
    ccall(P_atp_trainer_run[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), trainer, epochs,
        progress, user, outcome)
const P_atp_trainer_epochs = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_epochs(trainer) =
    ccall(P_atp_trainer_epochs[], Int64, (Ptr{Cvoid},), trainer)
const P_atp_trainer_request_stop = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_request_stop(trainer) =
    ccall(P_atp_trainer_request_stop[], Cvoid, (Ptr{Cvoid},), trainer)
const P_atp_trainer_model = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_model(trainer, out) =
    ccall(P_atp_trainer_model[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), trainer, out)
const P_atp_trainer_state_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_state_bytes(trainer) =
    ccall(P_atp_trainer_state_bytes[], Int64, (Ptr{Cvoid},), trainer)
const P_atp_trainer_save_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_save_state(trainer, buffer, size) =
    ccall(P_atp_trainer_save_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, buffer, size)
const P_atp_trainer_load_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_trainer_load_state(trainer, buffer, size) =
    ccall(P_atp_trainer_load_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), trainer, buffer, size)
const P_atp_transformer_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_bytes(context, n, sites, colors, options, bytes) =
    ccall(P_atp_transformer_bytes[], Cint, (Ptr{Cvoid}, Int64, Int64, Int64, Ptr{Cvoid}, Ptr{Cvoid}), context, n,
        sites, colors, options, bytes)
const P_atp_transformer_create = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_create(context, train, options, out) =
    ccall(P_atp_transformer_create[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), context, train,
        options, out)
const P_atp_transformer_destroy = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_destroy(transformer) =
    ccall(P_atp_transformer_destroy[], Cvoid, (Ptr{Cvoid},), transformer)
const P_atp_transformer_set_test = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_set_test(transformer, test) =
    ccall(P_atp_transformer_set_test[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), transformer, test)
const P_atp_transformer_set_truth = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_set_truth(transformer, truth) =
    ccall(P_atp_transformer_set_truth[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), transformer, truth)
const P_atp_transformer_parameter_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_parameter_count(transformer) =
    ccall(P_atp_transformer_parameter_count[], Int64, (Ptr{Cvoid},), transformer)
const P_atp_transformer_parameters = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_parameters(transformer, parameters, size) =
    ccall(P_atp_transformer_parameters[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, parameters, size)
const P_atp_transformer_set_parameters = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_set_parameters(transformer, parameters, size) =
    ccall(P_atp_transformer_set_parameters[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, parameters, size)
const P_atp_transformer_part_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_part_count(transformer) =
    ccall(P_atp_transformer_part_count[], Int64, (Ptr{Cvoid},), transformer)
const P_atp_transformer_part = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_part(transformer, index, name, offset, size) =
    ccall(P_atp_transformer_part[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), transformer,
        index, name, offset, size)
const P_atp_transformer_gradient = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_gradient(transformer, loss, gradient, size) =
    ccall(P_atp_transformer_gradient[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, loss,
        gradient, size)
const P_atp_transformer_masked_gradient = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_masked_gradient(transformer, masked_sites, n, loss, gradient, size) =
    ccall(P_atp_transformer_masked_gradient[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Int64),
        transformer, masked_sites, n, loss, gradient, size)
const P_atp_transformer_loss = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_loss(transformer, alignment, loss) =
    ccall(P_atp_transformer_loss[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), transformer, alignment, loss)
const P_atp_transformer_run = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_run(transformer, epochs, progress, user, outcome) =
    ccall(P_atp_transformer_run[], Cint, (Ptr{Cvoid}, Int64, Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}), transformer,
        epochs, progress, user, outcome)
const P_atp_transformer_epochs = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_epochs(transformer) =
    ccall(P_atp_transformer_epochs[], Int64, (Ptr{Cvoid},), transformer)
const P_atp_transformer_request_stop = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_request_stop(transformer) =
    ccall(P_atp_transformer_request_stop[], Cvoid, (Ptr{Cvoid},), transformer)
const P_atp_transformer_conditionals = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_conditionals(transformer, sequences, n, sites, out, size) =
    ccall(P_atp_transformer_conditionals[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64, Int64, Ptr{Cvoid}, Int64),
        transformer, sequences, n, sites, out, size)
const P_atp_transformer_model = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_model(transformer, out) =
    ccall(P_atp_transformer_model[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}), transformer, out)
const P_atp_transformer_map_count = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_map_count(transformer) =
    ccall(P_atp_transformer_map_count[], Int64, (Ptr{Cvoid},), transformer)
const P_atp_transformer_maps = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_maps(transformer, alignment, maps, size) =
    ccall(P_atp_transformer_maps[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, alignment, maps,
        size)
const P_atp_transformer_state_bytes = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_state_bytes(transformer) =
    ccall(P_atp_transformer_state_bytes[], Int64, (Ptr{Cvoid},), transformer)
const P_atp_transformer_save_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_save_state(transformer, buffer, size) =
    ccall(P_atp_transformer_save_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, buffer, size)
const P_atp_transformer_load_state = Ref{Ptr{Cvoid}}(C_NULL)
atp_transformer_load_state(transformer, buffer, size) =
    ccall(P_atp_transformer_load_state[], Cint, (Ptr{Cvoid}, Ptr{Cvoid}, Int64), transformer, buffer, size)
const P_atp_version_number = Ref{Ptr{Cvoid}}(C_NULL)
atp_version_number() =
    ccall(P_atp_version_number[], Cint, ())
const P_atp_version_string = Ref{Ptr{Cvoid}}(C_NULL)
atp_version_string() =
    ccall(P_atp_version_string[], Cstring, ())
const P_atp_abi_version = Ref{Ptr{Cvoid}}(C_NULL)
atp_abi_version() =
    ccall(P_atp_abi_version[], Cint, ())
const P_atp_has_feature = Ref{Ptr{Cvoid}}(C_NULL)
atp_has_feature(name) =
    ccall(P_atp_has_feature[], Cint, (Cstring,), name)
const P_atp_blas_description = Ref{Ptr{Cvoid}}(C_NULL)
atp_blas_description() =
    ccall(P_atp_blas_description[], Cstring, ())

function set_pointers(library)
    P_atp_alignment_create[] = Libdl.dlsym(library, :atp_alignment_create)
    P_atp_alignment_read[] = Libdl.dlsym(library, :atp_alignment_read)
    P_atp_alignment_select[] = Libdl.dlsym(library, :atp_alignment_select)
    P_atp_alignment_find[] = Libdl.dlsym(library, :atp_alignment_find)
    P_atp_alignment_focus[] = Libdl.dlsym(library, :atp_alignment_focus)
    P_atp_alignment_filter[] = Libdl.dlsym(library, :atp_alignment_filter)
    P_atp_alignment_destroy[] = Libdl.dlsym(library, :atp_alignment_destroy)
    P_atp_alignment_count[] = Libdl.dlsym(library, :atp_alignment_count)
    P_atp_alignment_sites[] = Libdl.dlsym(library, :atp_alignment_sites)
    P_atp_alignment_colors[] = Libdl.dlsym(library, :atp_alignment_colors)
    P_atp_alignment_effective_count[] = Libdl.dlsym(library, :atp_alignment_effective_count)
    P_atp_alignment_sequences_view[] = Libdl.dlsym(library, :atp_alignment_sequences_view)
    P_atp_alignment_weights_view[] = Libdl.dlsym(library, :atp_alignment_weights_view)
    P_atp_alignment_set_weights[] = Libdl.dlsym(library, :atp_alignment_set_weights)
    P_atp_alignment_weigh[] = Libdl.dlsym(library, :atp_alignment_weigh)
    P_atp_alignment_auto_theta[] = Libdl.dlsym(library, :atp_alignment_auto_theta)
    P_atp_alignment_alphabet[] = Libdl.dlsym(library, :atp_alignment_alphabet)
    P_atp_alignment_set_alphabet[] = Libdl.dlsym(library, :atp_alignment_set_alphabet)
    P_atp_alignment_site_numbers_view[] = Libdl.dlsym(library, :atp_alignment_site_numbers_view)
    P_atp_alignment_site_residues[] = Libdl.dlsym(library, :atp_alignment_site_residues)
    P_atp_alignment_set_sites[] = Libdl.dlsym(library, :atp_alignment_set_sites)
    P_atp_alignment_name[] = Libdl.dlsym(library, :atp_alignment_name)
    P_atp_alignment_origin[] = Libdl.dlsym(library, :atp_alignment_origin)
    P_atp_alignment_set_origin[] = Libdl.dlsym(library, :atp_alignment_set_origin)
    P_atp_alignment_frequencies[] = Libdl.dlsym(library, :atp_alignment_frequencies)
    P_atp_alignment_pair_frequencies[] = Libdl.dlsym(library, :atp_alignment_pair_frequencies)
    P_atp_alignment_covariances[] = Libdl.dlsym(library, :atp_alignment_covariances)
    P_atp_alignment_independent_loss[] = Libdl.dlsym(library, :atp_alignment_independent_loss)
    P_atp_progress_value[] = Libdl.dlsym(library, :atp_progress_value)
    P_atp_context_create[] = Libdl.dlsym(library, :atp_context_create)
    P_atp_context_destroy[] = Libdl.dlsym(library, :atp_context_destroy)
    P_atp_context_set_threads[] = Libdl.dlsym(library, :atp_context_set_threads)
    P_atp_context_threads[] = Libdl.dlsym(library, :atp_context_threads)
    P_atp_context_set_simd[] = Libdl.dlsym(library, :atp_context_set_simd)
    P_atp_context_simd[] = Libdl.dlsym(library, :atp_context_simd)
    P_atp_simd_target[] = Libdl.dlsym(library, :atp_simd_target)
    P_atp_context_set_log[] = Libdl.dlsym(library, :atp_context_set_log)
    P_atp_context_error[] = Libdl.dlsym(library, :atp_context_error)
    P_atp_context_memory[] = Libdl.dlsym(library, :atp_context_memory)
    P_atp_context_set_memory_limit[] = Libdl.dlsym(library, :atp_context_set_memory_limit)
    P_atp_context_memory_limit[] = Libdl.dlsym(library, :atp_context_memory_limit)
    P_atp_autocorrelation_time[] = Libdl.dlsym(library, :atp_autocorrelation_time)
    P_atp_split_rhat[] = Libdl.dlsym(library, :atp_split_rhat)
    P_atp_hamming_histogram[] = Libdl.dlsym(library, :atp_hamming_histogram)
    P_atp_dotattn_column_name[] = Libdl.dlsym(library, :atp_dotattn_column_name)
    P_atp_dotattn_column_find[] = Libdl.dlsym(library, :atp_dotattn_column_find)
    P_atp_dotattn_transition_column_name[] = Libdl.dlsym(library, :atp_dotattn_transition_column_name)
    P_atp_dotattn_bytes[] = Libdl.dlsym(library, :atp_dotattn_bytes)
    P_atp_dotattn_curve[] = Libdl.dlsym(library, :atp_dotattn_curve)
    P_atp_dotattn_transition[] = Libdl.dlsym(library, :atp_dotattn_transition)
    P_atp_dotattn_linear[] = Libdl.dlsym(library, :atp_dotattn_linear)
    P_atp_dotattn_sim_column_name[] = Libdl.dlsym(library, :atp_dotattn_sim_column_name)
    P_atp_dotattn_sim_column_find[] = Libdl.dlsym(library, :atp_dotattn_sim_column_find)
    P_atp_dotattn_simulate_bytes[] = Libdl.dlsym(library, :atp_dotattn_simulate_bytes)
    P_atp_dotattn_simulate[] = Libdl.dlsym(library, :atp_dotattn_simulate)
    P_atp_dotattn_tokens_column_name[] = Libdl.dlsym(library, :atp_dotattn_tokens_column_name)
    P_atp_dotattn_tokens_column_find[] = Libdl.dlsym(library, :atp_dotattn_tokens_column_find)
    P_atp_dotattn_tokens_bytes[] = Libdl.dlsym(library, :atp_dotattn_tokens_bytes)
    P_atp_dotattn_tokens[] = Libdl.dlsym(library, :atp_dotattn_tokens)
    P_atp_input_open[] = Libdl.dlsym(library, :atp_input_open)
    P_atp_input_destroy[] = Libdl.dlsym(library, :atp_input_destroy)
    P_atp_input_kind[] = Libdl.dlsym(library, :atp_input_kind)
    P_atp_input_size[] = Libdl.dlsym(library, :atp_input_size)
    P_atp_input_bytes_view[] = Libdl.dlsym(library, :atp_input_bytes_view)
    P_atp_input_alignment[] = Libdl.dlsym(library, :atp_input_alignment)
    P_atp_input_model[] = Libdl.dlsym(library, :atp_input_model)
    P_atp_input_scores_sites[] = Libdl.dlsym(library, :atp_input_scores_sites)
    P_atp_input_scores[] = Libdl.dlsym(library, :atp_input_scores)
    P_atp_alignment_write[] = Libdl.dlsym(library, :atp_alignment_write)
    P_atp_model_write_as[] = Libdl.dlsym(library, :atp_model_write_as)
    P_atp_model_read_as[] = Libdl.dlsym(library, :atp_model_read_as)
    P_atp_scores_write[] = Libdl.dlsym(library, :atp_scores_write)
    P_atp_scores_sites[] = Libdl.dlsym(library, :atp_scores_sites)
    P_atp_scores_read[] = Libdl.dlsym(library, :atp_scores_read)
    P_atp_model_write[] = Libdl.dlsym(library, :atp_model_write)
    P_atp_model_read[] = Libdl.dlsym(library, :atp_model_read)
    P_atp_file_kind[] = Libdl.dlsym(library, :atp_file_kind)
    P_atp_file_write[] = Libdl.dlsym(library, :atp_file_write)
    P_atp_file_writable[] = Libdl.dlsym(library, :atp_file_writable)
    P_atp_file_size[] = Libdl.dlsym(library, :atp_file_size)
    P_atp_file_read[] = Libdl.dlsym(library, :atp_file_read)
    P_atp_model_create_heads[] = Libdl.dlsym(library, :atp_model_create_heads)
    P_atp_model_create_dense_f64[] = Libdl.dlsym(library, :atp_model_create_dense_f64)
    P_atp_model_create_dense_f32[] = Libdl.dlsym(library, :atp_model_create_dense_f32)
    P_atp_model_create_random[] = Libdl.dlsym(library, :atp_model_create_random)
    P_atp_model_copy[] = Libdl.dlsym(library, :atp_model_copy)
    P_atp_model_gauge[] = Libdl.dlsym(library, :atp_model_gauge)
    P_atp_model_destroy[] = Libdl.dlsym(library, :atp_model_destroy)
    P_atp_model_sites[] = Libdl.dlsym(library, :atp_model_sites)
    P_atp_model_colors[] = Libdl.dlsym(library, :atp_model_colors)
    P_atp_model_heads[] = Libdl.dlsym(library, :atp_model_heads)
    P_atp_model_has_fields[] = Libdl.dlsym(library, :atp_model_has_fields)
    P_atp_model_is_symmetric[] = Libdl.dlsym(library, :atp_model_is_symmetric)
    P_atp_model_beta[] = Libdl.dlsym(library, :atp_model_beta)
    P_atp_model_set_beta[] = Libdl.dlsym(library, :atp_model_set_beta)
    P_atp_model_alphabet[] = Libdl.dlsym(library, :atp_model_alphabet)
    P_atp_model_set_alphabet[] = Libdl.dlsym(library, :atp_model_set_alphabet)
    P_atp_model_site_numbers_view[] = Libdl.dlsym(library, :atp_model_site_numbers_view)
    P_atp_model_site_residues[] = Libdl.dlsym(library, :atp_model_site_residues)
    P_atp_model_set_sites[] = Libdl.dlsym(library, :atp_model_set_sites)
    P_atp_model_maps[] = Libdl.dlsym(library, :atp_model_maps)
    P_atp_model_values[] = Libdl.dlsym(library, :atp_model_values)
    P_atp_model_fields[] = Libdl.dlsym(library, :atp_model_fields)
    P_atp_model_couplings_f64[] = Libdl.dlsym(library, :atp_model_couplings_f64)
    P_atp_model_couplings_f32[] = Libdl.dlsym(library, :atp_model_couplings_f32)
    P_atp_model_conditionals[] = Libdl.dlsym(library, :atp_model_conditionals)
    P_atp_model_energies[] = Libdl.dlsym(library, :atp_model_energies)
    P_atp_model_log_pseudolikelihoods[] = Libdl.dlsym(library, :atp_model_log_pseudolikelihoods)
    P_atp_model_loss[] = Libdl.dlsym(library, :atp_model_loss)
    P_atp_model_coupling_error[] = Libdl.dlsym(library, :atp_model_coupling_error)
    P_atp_model_enumerate[] = Libdl.dlsym(library, :atp_model_enumerate)
    P_atp_options_create[] = Libdl.dlsym(library, :atp_options_create)
    P_atp_options_destroy[] = Libdl.dlsym(library, :atp_options_destroy)
    P_atp_options_reset[] = Libdl.dlsym(library, :atp_options_reset)
    P_atp_options_set_i64[] = Libdl.dlsym(library, :atp_options_set_i64)
    P_atp_options_set_f64[] = Libdl.dlsym(library, :atp_options_set_f64)
    P_atp_options_get_i64[] = Libdl.dlsym(library, :atp_options_get_i64)
    P_atp_options_get_f64[] = Libdl.dlsym(library, :atp_options_get_f64)
    P_atp_option_count[] = Libdl.dlsym(library, :atp_option_count)
    P_atp_option_at[] = Libdl.dlsym(library, :atp_option_at)
    P_atp_option_name[] = Libdl.dlsym(library, :atp_option_name)
    P_atp_option_from_name[] = Libdl.dlsym(library, :atp_option_from_name)
    P_atp_option_bounds[] = Libdl.dlsym(library, :atp_option_bounds)
    P_atp_replica_column_name[] = Libdl.dlsym(library, :atp_replica_column_name)
    P_atp_replica_column_find[] = Libdl.dlsym(library, :atp_replica_column_find)
    P_atp_replica_goe[] = Libdl.dlsym(library, :atp_replica_goe)
    P_atp_replica_mask_workspace[] = Libdl.dlsym(library, :atp_replica_mask_workspace)
    P_atp_replica_mask_precision[] = Libdl.dlsym(library, :atp_replica_mask_precision)
    P_atp_replica_mask_covariance[] = Libdl.dlsym(library, :atp_replica_mask_covariance)
    P_atp_replica_spectrum_workspace[] = Libdl.dlsym(library, :atp_replica_spectrum_workspace)
    P_atp_replica_spectrum[] = Libdl.dlsym(library, :atp_replica_spectrum)
    P_atp_replica_square[] = Libdl.dlsym(library, :atp_replica_square)
    P_atp_replica_square_saddle[] = Libdl.dlsym(library, :atp_replica_square_saddle)
    P_atp_replica_limit[] = Libdl.dlsym(library, :atp_replica_limit)
    P_atp_replica_simulate_bytes[] = Libdl.dlsym(library, :atp_replica_simulate_bytes)
    P_atp_replica_simulate[] = Libdl.dlsym(library, :atp_replica_simulate)
    P_atp_replica_convex_workspace[] = Libdl.dlsym(library, :atp_replica_convex_workspace)
    P_atp_replica_convex[] = Libdl.dlsym(library, :atp_replica_convex)
    P_atp_sampler_bytes[] = Libdl.dlsym(library, :atp_sampler_bytes)
    P_atp_sampler_create[] = Libdl.dlsym(library, :atp_sampler_create)
    P_atp_sampler_destroy[] = Libdl.dlsym(library, :atp_sampler_destroy)
    P_atp_sampler_chains[] = Libdl.dlsym(library, :atp_sampler_chains)
    P_atp_sampler_sites[] = Libdl.dlsym(library, :atp_sampler_sites)
    P_atp_sampler_temperatures[] = Libdl.dlsym(library, :atp_sampler_temperatures)
    P_atp_sampler_sweeps[] = Libdl.dlsym(library, :atp_sampler_sweeps)
    P_atp_sampler_betas[] = Libdl.dlsym(library, :atp_sampler_betas)
    P_atp_sampler_set_betas[] = Libdl.dlsym(library, :atp_sampler_set_betas)
    P_atp_sampler_swap_rates[] = Libdl.dlsym(library, :atp_sampler_swap_rates)
    P_atp_sampler_start_random[] = Libdl.dlsym(library, :atp_sampler_start_random)
    P_atp_sampler_start_from[] = Libdl.dlsym(library, :atp_sampler_start_from)
    P_atp_sampler_sweep[] = Libdl.dlsym(library, :atp_sampler_sweep)
    P_atp_sampler_sample[] = Libdl.dlsym(library, :atp_sampler_sample)
    P_atp_sampler_states[] = Libdl.dlsym(library, :atp_sampler_states)
    P_atp_sampler_energies[] = Libdl.dlsym(library, :atp_sampler_energies)
    P_atp_sampler_request_stop[] = Libdl.dlsym(library, :atp_sampler_request_stop)
    P_atp_sampler_state_bytes[] = Libdl.dlsym(library, :atp_sampler_state_bytes)
    P_atp_sampler_save_state[] = Libdl.dlsym(library, :atp_sampler_save_state)
    P_atp_sampler_load_state[] = Libdl.dlsym(library, :atp_sampler_load_state)
    P_atp_tune_beta[] = Libdl.dlsym(library, :atp_tune_beta)
    P_atp_model_frobenius[] = Libdl.dlsym(library, :atp_model_frobenius)
    P_atp_scores_apc[] = Libdl.dlsym(library, :atp_scores_apc)
    P_atp_scores_rank[] = Libdl.dlsym(library, :atp_scores_rank)
    P_atp_distances_read[] = Libdl.dlsym(library, :atp_distances_read)
    P_atp_pairs_precision[] = Libdl.dlsym(library, :atp_pairs_precision)
    P_atp_model_mutants[] = Libdl.dlsym(library, :atp_model_mutants)
    P_atp_statistics_compare[] = Libdl.dlsym(library, :atp_statistics_compare)
    P_atp_status_name[] = Libdl.dlsym(library, :atp_status_name)
    P_atp_status_string[] = Libdl.dlsym(library, :atp_status_string)
    P_atp_outcome_name[] = Libdl.dlsym(library, :atp_outcome_name)
    P_atp_last_error[] = Libdl.dlsym(library, :atp_last_error)
    P_atp_trainer_bytes[] = Libdl.dlsym(library, :atp_trainer_bytes)
    P_atp_trainer_create[] = Libdl.dlsym(library, :atp_trainer_create)
    P_atp_trainer_destroy[] = Libdl.dlsym(library, :atp_trainer_destroy)
    P_atp_trainer_set_values[] = Libdl.dlsym(library, :atp_trainer_set_values)
    P_atp_trainer_set_test[] = Libdl.dlsym(library, :atp_trainer_set_test)
    P_atp_trainer_set_truth[] = Libdl.dlsym(library, :atp_trainer_set_truth)
    P_atp_trainer_parameter_count[] = Libdl.dlsym(library, :atp_trainer_parameter_count)
    P_atp_trainer_parameters[] = Libdl.dlsym(library, :atp_trainer_parameters)
    P_atp_trainer_set_parameters[] = Libdl.dlsym(library, :atp_trainer_set_parameters)
    P_atp_trainer_gradient[] = Libdl.dlsym(library, :atp_trainer_gradient)
    P_atp_trainer_masked_gradient[] = Libdl.dlsym(library, :atp_trainer_masked_gradient)
    P_atp_trainer_loss[] = Libdl.dlsym(library, :atp_trainer_loss)
    P_atp_trainer_start_wide[] = Libdl.dlsym(library, :atp_trainer_start_wide)
    P_atp_trainer_start_from[] = Libdl.dlsym(library, :atp_trainer_start_from)
    P_atp_trainer_run[] = Libdl.dlsym(library, :atp_trainer_run)
    P_atp_trainer_epochs[] = Libdl.dlsym(library, :atp_trainer_epochs)
    P_atp_trainer_request_stop[] = Libdl.dlsym(library, :atp_trainer_request_stop)
    P_atp_trainer_model[] = Libdl.dlsym(library, :atp_trainer_model)
    P_atp_trainer_state_bytes[] = Libdl.dlsym(library, :atp_trainer_state_bytes)
    P_atp_trainer_save_state[] = Libdl.dlsym(library, :atp_trainer_save_state)
    P_atp_trainer_load_state[] = Libdl.dlsym(library, :atp_trainer_load_state)
    P_atp_transformer_bytes[] = Libdl.dlsym(library, :atp_transformer_bytes)
    P_atp_transformer_create[] = Libdl.dlsym(library, :atp_transformer_create)
    P_atp_transformer_destroy[] = Libdl.dlsym(library, :atp_transformer_destroy)
    P_atp_transformer_set_test[] = Libdl.dlsym(library, :atp_transformer_set_test)
    P_atp_transformer_set_truth[] = Libdl.dlsym(library, :atp_transformer_set_truth)
    P_atp_transformer_parameter_count[] = Libdl.dlsym(library, :atp_transformer_parameter_count)
    P_atp_transformer_parameters[] = Libdl.dlsym(library, :atp_transformer_parameters)
    P_atp_transformer_set_parameters[] = Libdl.dlsym(library, :atp_transformer_set_parameters)
    P_atp_transformer_part_count[] = Libdl.dlsym(library, :atp_transformer_part_count)
    P_atp_transformer_part[] = Libdl.dlsym(library, :atp_transformer_part)
    P_atp_transformer_gradient[] = Libdl.dlsym(library, :atp_transformer_gradient)
    P_atp_transformer_masked_gradient[] = Libdl.dlsym(library, :atp_transformer_masked_gradient)
    P_atp_transformer_loss[] = Libdl.dlsym(library, :atp_transformer_loss)
    P_atp_transformer_run[] = Libdl.dlsym(library, :atp_transformer_run)
    P_atp_transformer_epochs[] = Libdl.dlsym(library, :atp_transformer_epochs)
    P_atp_transformer_request_stop[] = Libdl.dlsym(library, :atp_transformer_request_stop)
    P_atp_transformer_conditionals[] = Libdl.dlsym(library, :atp_transformer_conditionals)
    P_atp_transformer_model[] = Libdl.dlsym(library, :atp_transformer_model)
    P_atp_transformer_map_count[] = Libdl.dlsym(library, :atp_transformer_map_count)
    P_atp_transformer_maps[] = Libdl.dlsym(library, :atp_transformer_maps)
    P_atp_transformer_state_bytes[] = Libdl.dlsym(library, :atp_transformer_state_bytes)
    P_atp_transformer_save_state[] = Libdl.dlsym(library, :atp_transformer_save_state)
    P_atp_transformer_load_state[] = Libdl.dlsym(library, :atp_transformer_load_state)
    P_atp_version_number[] = Libdl.dlsym(library, :atp_version_number)
    P_atp_version_string[] = Libdl.dlsym(library, :atp_version_string)
    P_atp_abi_version[] = Libdl.dlsym(library, :atp_abi_version)
    P_atp_has_feature[] = Libdl.dlsym(library, :atp_has_feature)
    P_atp_blas_description[] = Libdl.dlsym(library, :atp_blas_description)
    return nothing
end
