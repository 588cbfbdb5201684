"""The C interface, as tools/python_abi.py reads it from the headers: do not edit."""
# mypy: ignore-errors
from ctypes import (CDLL, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_long, c_size_t, c_uint, c_uint64,
                    c_void_p)

VERSION = "0.1.0"

SAR_OK = 0
SAR_R_SINGULAR = 1
SAR_R_NO_CONV = 2
SAR_R_NOT_FINITE = 3
SAR_R_VIOLATED = 4
SAR_E_ARG = -1
SAR_E_NOMEM = -2
SAR_E_MODEL = -3
SAR_E_INCOMPAT = -4
SAR_E_ASSEMBLY = -5
SAR_E_IO = -6
SAR_E_BUILD = -7
SAR_MAGIC_UNLOADED_RADIUS = 0
SAR_MAGIC_VERTICAL_STIFFNESS = 1
SAR_MAGIC_VERTICAL_DAMPING = 2
SAR_MAGIC_FNOMIN = 3
SAR_MAGIC_LONGVL = 4
SAR_MAGIC_VXLOW = 5
SAR_MAGIC_FZMIN = 6
SAR_MAGIC_FZMAX = 7
SAR_MAGIC_BREFF = 8
SAR_MAGIC_DREFF = 9
SAR_MAGIC_FREFF = 10
SAR_MAGIC_LFZO = 11
SAR_MAGIC_LCX = 12
SAR_MAGIC_LMUX = 13
SAR_MAGIC_LEX = 14
SAR_MAGIC_LKX = 15
SAR_MAGIC_LHX = 16
SAR_MAGIC_LVX = 17
SAR_MAGIC_LGAX = 18
SAR_MAGIC_LCY = 19
SAR_MAGIC_LMUY = 20
SAR_MAGIC_LEY = 21
SAR_MAGIC_LKY = 22
SAR_MAGIC_LHY = 23
SAR_MAGIC_LVY = 24
SAR_MAGIC_LGAY = 25
SAR_MAGIC_LTR = 26
SAR_MAGIC_LRES = 27
SAR_MAGIC_LGAZ = 28
SAR_MAGIC_LXAL = 29
SAR_MAGIC_LYKA = 30
SAR_MAGIC_LVYKA = 31
SAR_MAGIC_LS = 32
SAR_MAGIC_LSGKP = 33
SAR_MAGIC_LSGAL = 34
SAR_MAGIC_LMX = 35
SAR_MAGIC_LVMX = 36
SAR_MAGIC_LMY = 37
SAR_MAGIC_PCX1 = 38
SAR_MAGIC_PDX1 = 39
SAR_MAGIC_PDX2 = 40
SAR_MAGIC_PDX3 = 41
SAR_MAGIC_PEX1 = 42
SAR_MAGIC_PEX2 = 43
SAR_MAGIC_PEX3 = 44
SAR_MAGIC_PEX4 = 45
SAR_MAGIC_PKX1 = 46
SAR_MAGIC_PKX2 = 47
SAR_MAGIC_PKX3 = 48
SAR_MAGIC_PHX1 = 49
SAR_MAGIC_PHX2 = 50
SAR_MAGIC_PVX1 = 51
SAR_MAGIC_PVX2 = 52
SAR_MAGIC_RBX1 = 53
SAR_MAGIC_RBX2 = 54
SAR_MAGIC_RCX1 = 55
SAR_MAGIC_REX1 = 56
SAR_MAGIC_REX2 = 57
SAR_MAGIC_RHX1 = 58
SAR_MAGIC_PTX1 = 59
SAR_MAGIC_PTX2 = 60
SAR_MAGIC_PTX3 = 61
SAR_MAGIC_PCY1 = 62
SAR_MAGIC_PDY1 = 63
SAR_MAGIC_PDY2 = 64
SAR_MAGIC_PDY3 = 65
SAR_MAGIC_PEY1 = 66
SAR_MAGIC_PEY2 = 67
SAR_MAGIC_PEY3 = 68
SAR_MAGIC_PEY4 = 69
SAR_MAGIC_PKY1 = 70
SAR_MAGIC_PKY2 = 71
SAR_MAGIC_PKY3 = 72
SAR_MAGIC_PHY1 = 73
SAR_MAGIC_PHY2 = 74
SAR_MAGIC_PHY3 = 75
SAR_MAGIC_PVY1 = 76
SAR_MAGIC_PVY2 = 77
SAR_MAGIC_PVY3 = 78
SAR_MAGIC_PVY4 = 79
SAR_MAGIC_RBY1 = 80
SAR_MAGIC_RBY2 = 81
SAR_MAGIC_RBY3 = 82
SAR_MAGIC_RCY1 = 83
SAR_MAGIC_REY1 = 84
SAR_MAGIC_REY2 = 85
SAR_MAGIC_RHY1 = 86
SAR_MAGIC_RHY2 = 87
SAR_MAGIC_RVY1 = 88
SAR_MAGIC_RVY2 = 89
SAR_MAGIC_RVY3 = 90
SAR_MAGIC_RVY4 = 91
SAR_MAGIC_RVY5 = 92
SAR_MAGIC_RVY6 = 93
SAR_MAGIC_PTY1 = 94
SAR_MAGIC_PTY2 = 95
SAR_MAGIC_QBZ1 = 96
SAR_MAGIC_QBZ2 = 97
SAR_MAGIC_QBZ3 = 98
SAR_MAGIC_QBZ4 = 99
SAR_MAGIC_QBZ5 = 100
SAR_MAGIC_QBZ9 = 101
SAR_MAGIC_QBZ10 = 102
SAR_MAGIC_QCZ1 = 103
SAR_MAGIC_QDZ1 = 104
SAR_MAGIC_QDZ2 = 105
SAR_MAGIC_QDZ3 = 106
SAR_MAGIC_QDZ4 = 107
SAR_MAGIC_QDZ6 = 108
SAR_MAGIC_QDZ7 = 109
SAR_MAGIC_QDZ8 = 110
SAR_MAGIC_QDZ9 = 111
SAR_MAGIC_QEZ1 = 112
SAR_MAGIC_QEZ2 = 113
SAR_MAGIC_QEZ3 = 114
SAR_MAGIC_QEZ4 = 115
SAR_MAGIC_QEZ5 = 116
SAR_MAGIC_QHZ1 = 117
SAR_MAGIC_QHZ2 = 118
SAR_MAGIC_QHZ3 = 119
SAR_MAGIC_QHZ4 = 120
SAR_MAGIC_SSZ1 = 121
SAR_MAGIC_SSZ2 = 122
SAR_MAGIC_SSZ3 = 123
SAR_MAGIC_SSZ4 = 124
SAR_MAGIC_QSX1 = 125
SAR_MAGIC_QSX2 = 126
SAR_MAGIC_QSX3 = 127
SAR_MAGIC_QSY1 = 128
SAR_MAGIC_QSY2 = 129
SAR_MAGIC_QSY3 = 130
SAR_MAGIC_QSY4 = 131
SAR_MAGIC_COUNT = 132
SAR_TYRE_LEFT = 0
SAR_TYRE_RIGHT = 1
SAR_JOINT_REVOLUTE = 0
SAR_JOINT_PRISMATIC = 1
SAR_JOINT_SPHERICAL = 2
SAR_JOINT_UNIVERSAL = 3
SAR_JOINT_CYLINDRICAL = 4
SAR_JOINT_PLANAR = 5
SAR_JOINT_SCREW = 6
SAR_JOINT_FIXED = 7
SAR_JOINT_POINT_ON_LINE = 8
SAR_JOINT_POINT_ON_PLANE = 9
SAR_JOINT_DISTANCE = 10
SAR_JOINT_ROLLING_SPHERE = 11
SAR_JOINT_ROLLING_DISC = 12
SAR_JOINT_KNIFE_EDGE = 13
SAR_JOINT_CONSTANT_VELOCITY = 14
SAR_JOINT_POINT_ON_CURVE = 15
SAR_JOINT_ORIENTATION = 16
SAR_JOINT_PARALLEL_AXES = 17
SAR_JOINT_PERPENDICULAR_AXES = 18
SAR_JOINT_GENERAL = 19
SAR_JOINT_TYPES = 20
SAR_LOCK_X = 1
SAR_LOCK_Y = 2
SAR_LOCK_Z = 4
SAR_LOCK_RX = 8
SAR_LOCK_RY = 16
SAR_LOCK_RZ = 32
SAR_LOCK_ALL = 63
SAR_COORD_ANGLE = 0
SAR_COORD_DISPLACEMENT = 1
SAR_COORD_DISTANCE = 2
SAR_COORD_ANGLE_2 = 3
SAR_COORD_DISPLACEMENT_2 = 4
SAR_INTERPOLATION_LINEAR = 0
SAR_INTERPOLATION_CUBIC = 1
SAR_INTERPOLATION_CONSTANT = 2
SAR_CROSSING_EITHER = 0
SAR_CROSSING_RISING = 1
SAR_CROSSING_FALLING = 2
SAR_MEAN = 0
SAR_RMS = 1
SAR_MIN = 2
SAR_MAX = 3
SAR_ASSEMBLED = 0
SAR_ASSEMBLY_IMPOSSIBLE = 1
SAR_ASSEMBLY_NOT_CONVERGED = 2
SAR_ASSEMBLY_AS_GIVEN = 3
SAR_EQUILIBRIUM_NOT_SOUGHT = 0
SAR_EQUILIBRIUM_STABLE = 1
SAR_EQUILIBRIUM_UNDETERMINED = 2
SAR_EQUILIBRIUM_UNSTABLE = 3
SAR_EQUILIBRIUM_NOT_FOUND = 4
SAR_EQUILIBRIUM_MARGINAL = 5
SAR_EQUILIBRIUM_SINGULAR = 6
SAR_TREE_TURN = 0
SAR_TREE_SLIDE = 1
SAR_TREE_BALL = 2
SAR_SUBSPACES_MAX = 600
SAR_IMPACT = 0
SAR_IMPACTS_END = 1
SAR_CONTACT_CLOSES = 2
SAR_CONTACT_OPENS = 3
SAR_MODEL_BYTES = 67108864
SAR_MODES_EQUILIBRIUM = 0
SAR_MODES_STEADY = 1
SAR_MODES_FROZEN = 2
SAR_MAP_NO_BALANCE = -1000000
SAR_MAP_CLOSED = 0
SAR_MAP_NODE = 1
SAR_MAP_INFINITE = 2
SAR_MAP_STUCK = 3
SAR_MAP_LIMIT = 4
SAR_REFERENCE_INDEPENDENT = 0
SAR_REFERENCE_FINER = 1
SAR_REFERENCE_COARSER = 2
SAR_REFERENCE_QUICK = 3
SAR_FRAME_A = 0
SAR_FRAME_B = 1
SAR_FRAME_MIDDLE = 2
SAR_CABLE_POINTS = 8
SAR_SHAPE_BOX = 0
SAR_SHAPE_CYLINDER = 1
SAR_SHAPE_SPHERE = 2
SAR_SHAPE_CAPSULE = 3
SAR_SHAPE_POLYGON = 4
SAR_SHAPE_MESH = 5
SAR_SHAPE_KINDS = 6
SAR_STYLE_SOLID = 0
SAR_STYLE_GLASS = 1
SAR_STYLE_WIRE = 2
SAR_STYLES = 3
SAR_MARK_CAPSULE = 0
SAR_MARK_CYLINDER = 1
SAR_MARK_BALL = 2
SAR_MARK_BOX = 3
SAR_MARK_PLATE = 4
SAR_MARK_POLYGON = 5
SAR_MARK_LINE = 6
SAR_MARK_MESH = 7
SAR_MARK_COIL = 8
SAR_MARK_POT = 9
SAR_MARK_BAR = 10
SAR_MARK_KINDS = 11
SAR_ROLE_BODY = 0
SAR_ROLE_JOINT = 1
SAR_ROLE_GUIDE = 2
SAR_ROLE_GROUND = 3
SAR_ROLE_HATCH = 4
SAR_ROLE_FORCE = 5
SAR_ROLE_STRIPE = 6
SAR_ROLE_CENTER = 7
SAR_ROLES = 8
SAR_POSE = 7
SAR_ACCOUNT_KINETIC = 0
SAR_ACCOUNT_POTENTIAL = 1
SAR_ACCOUNT_FORCE = 2
SAR_ACCOUNT_DRIVE = 3
SAR_ACCOUNT_IMPACTS = 4
SAR_ACCOUNT_PHASES = 5
SAR_ACCOUNT_JUMPS = 6
SAR_ACCOUNT_CORRECTIONS = 7
SAR_ACCOUNT_PROJECTIONS = 8
SAR_ACCOUNT_INTEGRATOR = 9
SAR_ACCOUNT_KINDS = 10
SAR_LABEL_POSITION = 0
SAR_LABEL_VELOCITY = 1
SAR_LABEL_CONSTRAINT = 2
SAR_VECTOR_FORCE = 0
SAR_VECTOR_PHI = 1
SAR_VECTOR_PHI_T = 2
SAR_VECTOR_BIAS = 3
SAR_MATRIX_MASS = 0
SAR_MATRIX_STIFFNESS = 1
SAR_MATRIX_DAMPING = 2
SAR_MATRIX_JACOBIAN = 3
SAR_MATRIX_JACOBIAN_RATE = 4
SAR_ROBOT_URDF = 0
SAR_ROBOT_MJCF = 1
SAR_OPTIMUM_FOUND = 0
SAR_OPTIMUM_NO_PROGRESS = 1
SAR_OPTIMUM_ITERATIONS = 2
SAR_OPTIMUM_STOPPED = 3
SAR_OPTIMUM_INFEASIBLE = 4
SAR_OPTIMUM_CONSTANT = 5
SAR_OPTIMUM_UNBOUNDED = 6
SAR_AXIS_COORDINATES = 0
SAR_AXIS_FORMULATION = 1
SAR_AXIS_INTEGRATOR = 2
SAR_AXIS_SOLVER = 3
SAR_AXES = 4
SAR_TAKES_REDUNDANT = 1
SAR_TAKES_SINGULAR = 2
SAR_TAKES_VELOCITIES = 4
SAR_POSE_WANT = 0
SAR_POSE_KEEP = 1
SAR_POSE_PREFER = 2
SAR_POSE_LIMIT = 3
SAR_POSE_SHOW = 4
SAR_OF_BODY = 0
SAR_OF_JOINT = 1
SAR_OF_FORCE = 2
SAR_OF_RUN = 3
SAR_KIND_NUMBER = 0
SAR_KIND_COUNT = 1
SAR_KIND_ERROR = 2
SAR_KIND_TIME = 3
SAR_KIND_ESTIMATE = 4
SAR_MEASURE_INITIAL_ENERGY = 0
SAR_MEASURE_MAX_DRIFT = 1
SAR_MEASURE_FINAL_DRIFT = 2
SAR_MEASURE_SIGNED_DRIFT = 3
SAR_MEASURE_KINETIC_MAX = 4
SAR_MEASURE_ENERGY_SCALE = 5
SAR_MEASURE_POSITION = 6
SAR_MEASURE_VELOCITY = 7
SAR_MEASURE_ACCELERATION = 8
SAR_MEASURE_TOTAL_ERROR = 9
SAR_MEASURE_MAX_ERROR = 10
SAR_MEASURE_ESTIMATE = 11
SAR_MEASURE_TRUSTED = 12
SAR_MEASURE_REACHED = 13
SAR_MEASURE_SINGULAR_PASSES = 14
SAR_MEASURE_BRANCH_CHANGES = 15
SAR_MEASURE_STEPS = 16
SAR_MEASURE_ITERATIONS = 17
SAR_MEASURE_REJECTED = 18
SAR_MEASURE_NOT_CONVERGED = 19
SAR_MEASURE_CORRECTION = 20
SAR_MEASURE_SECONDS = 21
SAR_MEASURE_WALL = 22
SAR_MEASURE_STEP_US = 23
SAR_MEASURES = 24
SAR_OBJECTIVE_END = 0
SAR_OBJECTIVE_SAMPLES = 1
SAR_OBJECTIVE_INTEGRAL = 2
SAR_OBJECTIVE_MEAN = 3
SAR_OBJECTIVE_MAX = 4
SAR_OBJECTIVE_MIN = 5
SAR_OBJECTIVE_TIME = 6


class sar_error(Structure):
    _fields_ = [
        ("status", c_int),
        ("field", c_char * 64),
        ("offset", c_int),
        ("message", c_char * 384),
    ]


class sar_allocator(Structure):
    _fields_ = [
        ("allocate", c_void_p),
        ("release", c_void_p),
        ("context", c_void_p),
    ]


class sar_body_id(Structure):
    _fields_ = [
        ("i", c_int32),
    ]


class sar_joint_id(Structure):
    _fields_ = [
        ("i", c_int32),
    ]


class sar_force_id(Structure):
    _fields_ = [
        ("i", c_int32),
    ]


class sar_body_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("mass", c_double),
        ("center", c_double * 3),
        ("inertia", c_double * 6),
        ("position", c_double * 3),
        ("rotation", c_double * 9),
        ("winding", c_double * 3),
        ("velocity", c_double * 3),
        ("angular_velocity", c_double * 3),
        ("has_position", c_int),
        ("has_rotation", c_int),
        ("as_measured", c_int),
        ("particle", c_int),
    ]


class sar_frame_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("rotation", c_double * 9),
    ]


class sar_curve(Structure):
    _fields_ = [
        ("x", c_char_p),
        ("y", c_char_p),
        ("from", c_double),
        ("to", c_double),
        ("points", c_int),
        ("point_x", c_void_p),
        ("point_y", c_void_p),
        ("closed", c_int),
    ]


class sar_end(Structure):
    _fields_ = [
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("axis", c_double * 3),
        ("normal", c_double * 3),
    ]


class sar_joint_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_int),
        ("a", sar_end),
        ("b", sar_end),
        ("pitch", c_double),
        ("distance", c_double),
        ("radius", c_double),
        ("curve", sar_curve),
        ("locked", c_uint),
        ("compliance", c_double * 6),
        ("cut", c_int),
        ("absent", c_int),
        ("attach_here", c_int),
    ]


class sar_coupling_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("terms", c_int),
        ("joint", sar_joint_id * 8),
        ("coordinate", c_int * 8),
        ("coefficient", c_double * 8),
        ("offset", c_double),
        ("has_offset", c_int),
        ("absent", c_int),
        ("belt", c_int),
    ]


class sar_drive_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("a", sar_end),
        ("b", sar_end),
        ("value", c_char_p),
        ("absent", c_int),
    ]


class sar_constraint_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("velocity", c_char_p),
        ("position", c_char_p),
        ("lower", c_double),
        ("upper", c_double),
        ("restitution", c_double),
        ("absent", c_int),
    ]


class sar_force_place(Structure):
    _fields_ = [
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("radius", c_double),
    ]


class sar_load_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("force", c_char_p * 3),
        ("torque", c_char_p * 3),
        ("in_body_axes", c_int),
        ("axes", c_char_p),
        ("reaction", sar_body_id),
    ]


class sar_potential_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("energy", c_char_p),
        ("coordinate", c_int),
        ("factor", c_double),
    ]


class sar_spring_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("along", c_char_p),
        ("stiffness", c_double),
        ("damping", c_double),
        ("free", c_double),
        ("free_by", c_char_p),
        ("force", c_char_p),
        ("table_length", c_int),
        ("table_x", c_void_p),
        ("table_f", c_void_p),
    ]


class sar_bushing_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("K", c_double * 36),
        ("C", c_double * 36),
    ]


class sar_tyre_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("radius", c_double),
        ("stiffness", c_double),
        ("damping", c_double),
        ("road", c_char_p),
        ("along", c_char_p),
        ("up", c_int),
        ("forward", c_int),
        ("normal", c_int),
    ]


class sar_magic_tyre_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("axis", c_double * 3),
        ("road", c_char_p),
        ("up", c_int),
        ("mounted", c_int),
        ("measured", c_int),
        ("relaxation", c_int),
        ("coefficient", c_double * 132),
    ]


class sar_maxwell_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("stiffness", c_double),
        ("damping", c_double),
    ]


class sar_state_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("rate", c_char_p),
        ("start", c_double),
        ("scale", c_double),
    ]


class sar_stop_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("along", c_char_p),
        ("lower", c_double),
        ("upper", c_double),
        ("stiffness", c_double),
        ("exponent", c_double),
        ("damping", c_double),
    ]


class sar_actuator_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("along", c_char_p),
        ("force", c_char_p),
    ]


class sar_attraction_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("strength", c_double),
    ]


class sar_drag_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("linear", c_double),
        ("quadratic", c_double),
    ]


class sar_contact_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("radius", c_double),
        ("other_radius", c_double),
        ("length", c_double),
        ("stiffness", c_double),
        ("exponent", c_double),
        ("damping", c_double),
        ("friction", c_double),
        ("speed", c_double),
        ("surface", c_char_p),
    ]


class sar_buoyancy_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("radius", c_double),
        ("weight", c_double),
        ("level", c_double),
        ("up", c_int),
    ]


class sar_friction_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("along", c_char_p),
        ("level", c_double),
        ("coefficient", c_double),
        ("preload", c_double),
        ("by_reaction", c_int),
        ("radius", c_double),
        ("viscous", c_double),
        ("speed", c_double),
    ]


class sar_table_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("length", c_int),
        ("x", c_void_p),
        ("y", c_void_p),
        ("interpolation", c_int),
        ("extend", c_int),
    ]


class sar_input_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("unit", c_char_p),
        ("start", c_double),
    ]


class sar_phase_def(Structure):
    _fields_ = [
        ("at", c_double),
        ("when", c_char_p),
        ("crossing", c_int),
        ("repeats", c_int),
        ("provided", c_char_p),
        ("move", c_int),
        ("adds", c_int),
        ("removes", c_int),
        ("add", c_void_p),
        ("remove", c_void_p),
        ("force_adds", c_int),
        ("force_removes", c_int),
        ("force_add", c_void_p),
        ("force_remove", c_void_p),
    ]


class sar_options(Structure):
    _fields_ = [
        ("coordinates", c_char * 24),
        ("formulation", c_char * 24),
        ("integrator", c_char * 24),
        ("solver", c_char * 24),
        ("start", c_double),
        ("end", c_double),
        ("step", c_double),
        ("sample", c_double),
        ("best_effort", c_int),
        ("assemble", c_int),
        ("equilibrium", c_int),
        ("drawing", c_double),
        ("violation", c_double),
        ("monitor", c_int),
        ("threads", c_int),
        ("energy_ledger", c_int),
        ("profile", c_int),
        ("alpha", c_double),
        ("penalty_ratio", c_double),
        ("omega", c_double),
        ("xi", c_double),
        ("updates", c_int),
        ("project", c_int),
        ("rho", c_double),
        ("sweeps", c_int),
        ("multipliers", c_int),
        ("index", c_int),
        ("newton_tolerance", c_double),
        ("iterations", c_int),
        ("compose", c_int),
        ("beta", c_double),
        ("gamma", c_double),
        ("rho_inf", c_double),
        ("tolerance", c_double),
        ("absolute_tolerance", c_double),
        ("step_min", c_double),
        ("step_max", c_double),
        ("max_order", c_int),
        ("share", c_int),
        ("projections", c_int),
        ("rescue", c_int),
        ("tangent_life", c_int),
        ("geometric", c_int),
        ("select", c_int),
        ("reset", c_double),
        ("sigma_start", c_double),
        ("as_printed", c_int),
        ("omega_step", c_double),
        ("independent_projections", c_int),
        ("differentiable", c_int),
        ("by_iterations", c_int),
        ("converge_multipliers", c_int),
        ("rho_cap", c_double),
        ("adapt", c_int),
        ("mass_factor", c_double),
        ("fields", c_int),
        ("plain_direction", c_int),
        ("rattle", c_int),
        ("warm_start", c_int),
        ("accept_tolerance", c_double),
        ("iterations_fixed", c_int),
        ("given", c_uint64),
        ("named", c_uint),
        ("rows", c_char * 512),
    ]


class sar_assembly_conflict(Structure):
    _fields_ = [
        ("name", c_char * 64),
        ("residual", c_double),
    ]


class sar_assembly(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("level", c_int),
        ("iterations", c_int),
        ("moved", c_double),
        ("residual", c_double),
        ("conflicts", c_int),
        ("conflict", sar_assembly_conflict * 8),
        ("turned", c_double),
        ("moved_body", c_int),
        ("gap", c_double),
        ("size", c_double),
        ("singular", c_int),
        ("branches", c_int),
    ]


class sar_equilibrium(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("iterations", c_int),
        ("coordinates", c_int),
        ("freedoms", c_int),
        ("unstable", c_int),
        ("undetermined", c_int),
        ("marginal", c_int),
        ("growth", c_double),
        ("growth_frequency", c_double),
        ("growing_body", c_int),
        ("residual", c_double),
        ("moved", c_double),
        ("frequency", c_double),
        ("moved_body", c_int),
        ("unstable_bodies", c_char * 256),
        ("undetermined_bodies", c_char * 256),
        ("unbalanced_bodies", c_char * 256),
    ]


class sar_exchange(Structure):
    _fields_ = [
        ("simulation", c_void_p),
        ("inputs", c_void_p),
        ("t", c_void_p),
        ("outputs", c_void_p),
    ]


class sar_energy(Structure):
    _fields_ = [
        ("kinetic", c_double),
        ("potential", c_double),
        ("work", c_double),
    ]


class sar_violation(Structure):
    _fields_ = [
        ("position", c_double),
        ("velocity", c_double),
        ("acceleration", c_double),
    ]


class sar_rank(Structure):
    _fields_ = [
        ("coordinates", c_int),
        ("constraints", c_int),
        ("rank", c_int),
        ("dof", c_int),
        ("redundant", c_int),
        ("on_velocities", c_int),
    ]


class sar_tree_joint(Structure):
    _fields_ = [
        ("joint", c_int),
        ("parent", c_int),
        ("body", c_int),
        ("motions", c_int),
        ("motion", c_int * 4),
        ("rows", c_int),
    ]


class sar_branch(Structure):
    _fields_ = [
        ("dimension", c_int),
        ("basis", c_void_p),
        ("share", c_double),
        ("eta", c_double),
    ]


class sar_subspaces(Structure):
    _fields_ = [
        ("coordinates", c_int),
        ("constraints", c_int),
        ("rank", c_int),
        ("singular_values", c_int),
        ("singular_value", c_void_p),
        ("dof", c_int),
        ("admissible", c_void_p),
        ("constrained", c_void_p),
        ("admissible_part", c_void_p),
        ("constrained_part", c_void_p),
        ("admissible_energy", c_double),
        ("constrained_energy", c_double),
        ("singular", c_int),
        ("branches", c_int),
        ("branch", c_void_p),
    ]


class sar_impulse(Structure):
    _fields_ = [
        ("joint", c_int),
        ("force", c_double * 3),
        ("torque", c_double * 3),
    ]


class sar_switch(Structure):
    _fields_ = [
        ("phase", c_int),
        ("t", c_double),
        ("moved", c_double),
        ("turned", c_double),
        ("moved_body", c_int),
        ("turned_body", c_int),
        ("displaced", c_int),
        ("kinetic_before", c_double),
        ("kinetic_after", c_double),
        ("potential_change", c_double),
        ("momentum_before", c_double * 3),
        ("momentum_after", c_double * 3),
        ("angular_before", c_double * 3),
        ("angular_after", c_double * 3),
        ("impulse", c_double * 3),
        ("angular_impulse", c_double * 3),
        ("impulses", c_int),
        ("joint_impulse", c_void_p),
        ("rank", sar_rank),
    ]


class sar_note(Structure):
    _fields_ = [
        ("element", c_char_p),
        ("t", c_double),
        ("text", c_char * 240),
    ]


class sar_impact(Structure):
    _fields_ = [
        ("kind", c_int),
        ("joint", c_int),
        ("upper", c_int),
        ("t", c_double),
        ("rate_before", c_double),
        ("rate_after", c_double),
        ("impulse", c_double),
    ]


class sar_event(Structure):
    _fields_ = [
        ("t", c_double),
        ("rank", c_int),
        ("joints", c_char * 192),
    ]


class sar_drive_jump(Structure):
    _fields_ = [
        ("count", c_long),
        ("t", c_double),
        ("before", c_double),
        ("after", c_double),
        ("drive", c_char * 64),
    ]


class sar_jump(Structure):
    _fields_ = [
        ("count", c_long),
        ("t", c_double),
        ("force", c_char * 64),
        ("of_time", c_int),
    ]


class sar_statistics(Structure):
    _fields_ = [
        ("steps", c_long),
        ("rejected", c_long),
        ("iterations", c_long),
        ("not_converged", c_long),
        ("energy_initial", c_double),
        ("energy_max_drift", c_double),
        ("energy_final_drift", c_double),
        ("energy_worst_drift", c_double),
        ("kinetic_max", c_double),
        ("energy_scale", c_double),
        ("kept_change", c_double),
        ("violation", sar_violation),
        ("correction", c_double),
        ("turn", c_double),
        ("correction_time", c_double),
        ("projection_time", c_double),
        ("step", c_double),
        ("step_shortest", c_double),
        ("alpha", c_double),
        ("filter", c_double),
        ("threads", c_int),
        ("violated", c_long),
        ("gap", c_double),
        ("crossing_gap", c_double),
        ("crossing_error", c_double),
        ("crossing_missed", c_double),
        ("crossings", c_long),
        ("crossing_joints", c_char * 96),
        ("singular_passes", c_long),
        ("branch_changes", c_long),
        ("implicit_steps", c_long),
        ("implicit_spans", c_long),
        ("implicit_from", c_double),
        ("implicit_until", c_double),
        ("solver", c_char * 24),
    ]


class sar_setting(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_char_p),
    ]


class sar_dimension(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_double),
        ("tolerance", c_double),
    ]


class sar_number(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_double),
    ]


class sar_format_row(Structure):
    _fields_ = [
        ("section", c_char_p),
        ("type", c_char_p),
        ("key", c_char_p),
        ("planar", c_char_p),
        ("spatial", c_char_p),
        ("text", c_char_p),
    ]


class sar_mode(Structure):
    _fields_ = [
        ("re", c_double),
        ("im", c_double),
        ("frequency", c_double),
        ("damping", c_double),
        ("stability", c_int),
        ("branch", c_int),
    ]


class sar_modes_summary(Structure):
    _fields_ = [
        ("about", c_int),
        ("t", c_double),
        ("freedoms", c_int),
        ("positions", c_int),
        ("force_states", c_int),
        ("modes", c_int),
        ("zeros", c_int),
        ("unstable", c_int),
        ("marginal", c_int),
        ("conservative", c_int),
        ("singular", c_int),
        ("unbalanced", c_double),
        ("zero_bodies", c_char * 192),
    ]


class sar_mode_motion(Structure):
    _fields_ = [
        ("energy", c_double),
        ("velocity", c_double * 6),
        ("angular", c_double * 6),
    ]


class sar_linear_system(Structure):
    _fields_ = [
        ("states", c_int),
        ("inputs", c_int),
        ("outputs", c_int),
        ("A", c_void_p),
        ("B", c_void_p),
        ("C", c_void_p),
        ("D", c_void_p),
        ("u_0", c_void_p),
        ("y_0", c_void_p),
        ("state", c_void_p),
        ("input", c_void_p),
        ("output", c_void_p),
        ("about", c_int),
        ("t", c_double),
    ]


class sar_uniqueness(Structure):
    _fields_ = [
        ("axes", c_double * 9),
        ("force", c_int * 3),
        ("torque", c_int * 3),
        ("directions", c_int),
    ]


class sar_compliance(Structure):
    _fields_ = [
        ("displacement", c_double * 3),
        ("rotation", c_double * 3),
    ]


class sar_dimension_twins(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("tolerance", c_double),
        ("change", c_double),
        ("more", c_void_p),
        ("less", c_void_p),
    ]


class sar_opening(Structure):
    _fields_ = [
        ("states", c_int),
        ("extra", c_int),
        ("worst", c_double),
        ("statistical", c_double),
        ("t", c_double),
        ("forces", c_int),
        ("miss", c_double),
    ]


class sar_dimension_effect(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("tolerance", c_double),
        ("opening", c_double),
        ("share", c_double),
        ("keeps", c_int),
    ]


class sar_assembly_force(Structure):
    _fields_ = [
        ("worst", c_double),
        ("statistical", c_double),
        ("torque_worst", c_double),
        ("torque_statistical", c_double),
    ]


class sar_modes_scan_task(Structure):
    _fields_ = [
        ("parameter", c_char_p),
        ("from", c_double),
        ("to", c_double),
        ("points", c_int),
        ("settings", c_void_p),
        ("settings_count", c_int),
        ("equilibrium", c_int),
        ("steady", c_int),
        ("coordinates", c_char_p),
    ]


class sar_modes_point(Structure):
    _fields_ = [
        ("value", c_double),
        ("status", c_int),
        ("failure", c_char_p),
        ("summary", sar_modes_summary),
        ("mode", c_void_p),
    ]


class sar_modes_change(Structure):
    _fields_ = [
        ("value", c_double),
        ("error", c_double),
        ("before", c_int),
        ("after", c_int),
        ("re", c_double),
        ("im", c_double),
    ]


class sar_map_options(Structure):
    _fields_ = [
        ("locked", c_int),
        ("starts", c_int),
        ("most_starts", c_int),
        ("most_arcs", c_int),
        ("most_nodes", c_int),
        ("stop", c_void_p),
    ]


class sar_map_singular(Structure):
    _fields_ = [
        ("input", c_char_p * 2),
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("name", c_char_p),
    ]


class sar_map_region(Structure):
    _fields_ = [
        ("at", c_double * 2),
        ("share", c_double),
        ("configurations", c_int),
    ]


class sar_map_summary(Structure):
    _fields_ = [
        ("coordinates", c_int),
        ("conditions", c_int),
        ("nullity", c_int),
        ("dimension", c_int),
        ("components", c_int),
        ("arcs", c_int),
        ("nodes", c_int),
        ("modes", c_int),
        ("placements", c_int),
        ("starts", c_int),
        ("closed", c_int),
        ("unseen", c_double),
        ("balance", c_int),
        ("complete", c_int),
        ("start", c_char_p),
    ]


class sar_map_quantity(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", sar_joint_id),
        ("coordinate", c_int),
        ("axis", c_int),
        ("is_angle", c_int),
        ("is_input", c_int),
    ]


class sar_map_range(Structure):
    _fields_ = [
        ("least", c_double),
        ("greatest", c_double),
        ("turns", c_int),
    ]


class sar_map_dead_point(Structure):
    _fields_ = [
        ("at", c_double),
        ("quantity", c_int),
        ("value", c_double),
    ]


class sar_map_transmission(Structure):
    _fields_ = [
        ("bar", sar_body_id),
        ("joint", sar_joint_id),
        ("least", c_double),
        ("at", c_double),
    ]


class sar_map_stop(Structure):
    _fields_ = [
        ("at", c_double),
        ("name", c_char_p),
        ("upper", c_int),
        ("leaves", c_int),
        ("value", c_double),
        ("is_angle", c_int),
    ]


class sar_map_arc(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("component", c_int),
        ("freedoms", c_int),
        ("closed", c_int),
        ("node", c_int * 2),
        ("end", c_int * 2),
        ("length", c_double),
        ("points", c_int),
        ("range", c_void_p),
        ("dead_points", c_int),
        ("dead_point", c_void_p),
        ("transmissions", c_int),
        ("transmission", c_void_p),
        ("stops", c_int),
        ("stop", c_void_p),
        ("within", c_void_p),
        ("beyond", c_int),
    ]


class sar_map_half(Structure):
    _fields_ = [
        ("arc", c_int),
        ("end", c_int),
        ("partner", c_int),
    ]


class sar_map_node(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("component", c_int),
        ("freedoms", c_int),
        ("halves", c_int),
        ("half", c_void_p),
        ("motions", c_int),
        ("dimension", c_int),
        ("resolved", c_int),
        ("value", c_void_p),
        ("beyond", c_char_p),
    ]


class sar_map_component(Structure):
    _fields_ = [
        ("dimension", c_int),
        ("arcs", c_int),
        ("nodes", c_int),
        ("name", c_char_p),
        ("seen", c_int),
        ("has_start", c_int),
        ("value", c_void_p),
        ("beyond", c_char_p),
        ("placement", c_int),
    ]


class sar_map_place(Structure):
    _fields_ = [
        ("node", c_int),
        ("arc", c_int),
        ("component", c_int),
        ("at", c_double),
        ("motion", c_int),
    ]


class sar_sampling(Structure):
    _fields_ = [
        ("start", c_double),
        ("end", c_double),
        ("interval", c_double),
        ("spacing", c_double),
        ("stride", c_long),
        ("at_steps", c_int),
        ("max_samples", c_double),
        ("next", c_double),
        ("last", c_double),
    ]


class sar_run(Structure):
    _fields_ = [
        ("simulation", c_void_p),
        ("sampling", sar_sampling),
        ("steps", c_long),
        ("t", c_double),
        ("status", c_int),
    ]


class sar_certificate_def(Structure):
    _fields_ = [
        ("rows", c_int),
        ("columns", c_int),
        ("time", c_void_p),
        ("values", c_void_p),
        ("reference", c_void_p),
        ("coarser", c_void_p),
        ("ratio", c_double),
        ("order", c_double),
        ("accuracy", c_double),
        ("group", c_void_p),
        ("least", c_void_p),
    ]


class sar_certificate(Structure):
    _fields_ = [
        ("accuracy", c_double),
        ("covered", c_double),
        ("trusted", c_double),
        ("column", c_int),
        ("largest", c_double),
        ("largest_column", c_int),
        ("largest_time", c_double),
        ("order", c_double),
        ("measured", c_int),
        ("diverges", c_int),
        ("tenfold", c_double),
        ("power", c_double),
        ("undefined", c_int),
        ("undefined_time", c_double),
    ]


class sar_reference_run_def(Structure):
    _fields_ = [
        ("model", c_void_p),
        ("options", c_void_p),
        ("coordinates", c_int),
        ("size", c_double),
        ("accuracy", c_double),
        ("rows", c_int),
        ("time", c_void_p),
        ("values", c_void_p),
        ("wait", c_void_p),
        ("context", c_void_p),
        ("quick", c_int),
        ("work", c_void_p),
        ("reference", c_void_p),
        ("second", c_void_p),
        ("noise", c_void_p),
    ]


class sar_reference_outcome(Structure):
    _fields_ = [
        ("complete", c_int),
        ("rows", c_int),
        ("kind", c_int),
        ("ratio", c_double),
        ("order", c_double),
        ("energy", c_double),
        ("steps", c_long),
        ("contested", c_int),
        ("has_coarser", c_int),
        ("passes", c_long),
        ("branches", c_long),
        ("method", c_char * 160),
    ]


class sar_large_bushing_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("a", sar_end),
        ("b", sar_end),
        ("K", c_double * 36),
        ("C", c_double * 36),
        ("frame", c_int),
        ("force", c_char_p * 3),
        ("torque", c_char_p * 3),
    ]


class sar_shaft_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("joint", sar_joint_id * 2),
        ("coordinate", c_int * 2),
        ("factor", c_double * 2),
        ("stiffness", c_double),
        ("damping", c_double),
        ("free", c_double),
        ("play", c_double),
        ("tension", c_double),
        ("law", c_char_p),
        ("capacity", c_char_p),
        ("speed", c_double),
    ]


class sar_cable_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("over", sar_end * 8),
        ("points", c_int),
        ("free", c_double),
        ("stiffness", c_double),
        ("damping", c_double),
    ]


class sar_rotor_def(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("inertia", c_double),
        ("carrier", sar_body_id),
        ("point", c_double * 3),
        ("axis", c_double * 3),
        ("drives", sar_joint_id),
        ("coordinate", c_int),
        ("ratio", c_double),
    ]


class sar_shape_def(Structure):
    _fields_ = [
        ("kind", c_int),
        ("points", c_int),
        ("point", c_void_p),
        ("radius", c_double),
        ("triangles", c_int),
        ("triangle", c_void_p),
        ("colour", c_long),
        ("style", c_int),
    ]


class sar_clearance(Structure):
    _fields_ = [
        ("distance", c_double),
        ("point_a", c_double * 3),
        ("point_b", c_double * 3),
        ("shape_a", c_int),
        ("shape_b", c_int),
    ]


class sar_mark(Structure):
    _fields_ = [
        ("kind", c_int),
        ("role", c_int),
        ("body", c_int),
        ("other", c_int),
        ("joint", c_int),
        ("name", c_char_p),
        ("count", c_int),
        ("points", c_void_p),
        ("radius", c_double),
        ("triangles", c_void_p),
        ("triangle_count", c_int),
        ("colour", c_long),
        ("style", c_int),
    ]


class sar_account(Structure):
    _fields_ = [
        ("kind", c_int),
        ("name", c_char_p),
        ("value", c_double),
    ]


class sar_equations_size(Structure):
    _fields_ = [
        ("positions", c_int),
        ("velocities", c_int),
        ("constraints", c_int),
        ("nonholonomic", c_int),
        ("states", c_int),
        ("constant_mass", c_int),
    ]


class sar_csr(Structure):
    _fields_ = [
        ("rows", c_int),
        ("columns", c_int),
        ("start", c_void_p),
        ("column", c_void_p),
        ("value", c_void_p),
    ]


class sar_optimisation(Structure):
    _fields_ = [
        ("variables", c_int),
        ("lower", c_void_p),
        ("upper", c_void_p),
        ("scale", c_void_p),
        ("residuals", c_int),
        ("limits", c_int),
        ("equalities", c_int),
        ("evaluate", c_void_p),
        ("context", c_void_p),
    ]


class sar_optimisation_options(Structure):
    _fields_ = [
        ("iterations", c_int),
        ("tolerance", c_double),
        ("solver", c_char_p),
        ("watch", c_void_p),
        ("context", c_void_p),
    ]


class sar_optimum(Structure):
    _fields_ = [
        ("verdict", c_int),
        ("objective", c_double),
        ("violation", c_double),
        ("slope", c_double),
        ("iterations", c_int),
        ("evaluations", c_int),
        ("jacobians", c_int),
        ("solver", c_char_p),
    ]


class sar_covariance(Structure):
    _fields_ = [
        ("variance", c_double),
        ("unidentified", c_int),
        ("condition", c_double),
    ]


class sar_dataset(Structure):
    _fields_ = [
        ("path", c_char_p),
        ("width", c_int),
        ("unit", c_char_p),
        ("description", c_char_p),
    ]


class sar_comparison(Structure):
    _fields_ = [
        ("total", c_double),
        ("variables", c_int),
        ("samples", c_int),
        ("max_error", c_double),
        ("max_name", c_char_p),
        ("max_time", c_double),
        ("interpolation", c_double),
        ("limited", c_char_p),
    ]


class sar_comparison_def(Structure):
    _fields_ = [
        ("names", c_void_p),
        ("weights", c_void_p),
        ("count", c_int),
        ("interval", c_double),
        ("linear", c_int),
        ("relative", c_double),
    ]


class sar_free(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("lower", c_double),
        ("upper", c_double),
        ("start", c_double),
    ]


class sar_study(Structure):
    _fields_ = [
        ("source", c_void_p),
        ("settings", c_void_p),
        ("settings_count", c_int),
        ("options", c_void_p),
        ("driven", c_int),
        ("differences", c_int),
        ("free", c_void_p),
        ("free_count", c_int),
        ("search", sar_optimisation_options),
        ("stop", c_void_p),
        ("context", c_void_p),
    ]


class sar_fit_column(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("expression", c_char_p),
        ("weight", c_double),
    ]


class sar_fit_def(Structure):
    _fields_ = [
        ("data", c_void_p),
        ("columns", c_void_p),
        ("columns_count", c_int),
        ("offset", c_int),
        ("offset_lower", c_double),
        ("offset_upper", c_double),
        ("offset_start", c_double),
    ]


class sar_fit_summary(Structure):
    _fields_ = [
        ("search", sar_optimum),
        ("covariance", sar_covariance),
        ("residuals", c_int),
        ("runs", c_long),
        ("refused", c_char_p),
    ]


class sar_fit_number(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("start", c_double),
        ("value", c_double),
        ("lower", c_double),
        ("upper", c_double),
        ("deviation", c_double),
        ("at_bound", c_int),
    ]


class sar_fit_curve(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("expression", c_char_p),
        ("weight", c_double),
        ("rms", c_double),
        ("count", c_int),
        ("t", c_void_p),
        ("measured", c_void_p),
        ("before", c_void_p),
        ("found", c_void_p),
    ]


class sar_design_def(Structure):
    _fields_ = [
        ("minimise", c_void_p),
        ("minimise_count", c_int),
        ("limits", c_void_p),
        ("limits_count", c_int),
        ("samples", c_int),
        ("starts", c_int),
    ]


class sar_design_summary(Structure):
    _fields_ = [
        ("search", sar_optimum),
        ("before", c_double),
        ("after", c_double),
        ("starts", c_int),
        ("best", c_int),
        ("failed", c_int),
        ("runs", c_long),
        ("refused", c_char_p),
    ]


class sar_design_limit(Structure):
    _fields_ = [
        ("text", c_char_p),
        ("before", c_double),
        ("after", c_double),
        ("active", c_int),
    ]


class sar_design_curve(Structure):
    _fields_ = [
        ("expression", c_char_p),
        ("count", c_int),
        ("t", c_void_p),
        ("before", c_void_p),
        ("after", c_void_p),
    ]


class sar_fmu_def(Structure):
    _fields_ = [
        ("text", c_char_p),
        ("length", c_size_t),
        ("path", c_char_p),
        ("settings", c_void_p),
        ("settings_count", c_int),
        ("options", c_void_p),
        ("version", c_int),
        ("runtime", c_char_p),
        ("sources", c_char_p),
        ("reference", c_int),
    ]


class sar_fmu_report(Structure):
    _fields_ = [
        ("parameters", c_int),
        ("inputs", c_int),
        ("outputs", c_int),
        ("states", c_int),
        ("no_exchange", c_char * 128),
        ("indicators", c_int),
        ("rows", c_int),
        ("certificate", sar_certificate),
        ("step", c_double),
        ("bytes", c_size_t),
    ]


class sar_fmu_check(Structure):
    _fields_ = [
        ("version", c_int),
        ("name", c_char * 128),
        ("rows", c_int),
        ("same", c_int),
        ("largest", c_double),
        ("largest_time", c_double),
        ("largest_output", c_char * 64),
        ("allowed", c_double),
        ("restored", c_int),
        ("passed", c_int),
        ("messages", c_int),
        ("message", c_char * 256),
    ]


class sar_import_options(Structure):
    _fields_ = [
        ("loops", c_char_p),
        ("packages", c_char_p),
        ("output", c_char_p),
    ]


class sar_member(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("cite", c_char_p),
        ("variable_step", c_int),
        ("interpolates", c_int),
        ("takes", c_uint),
    ]


class sar_preset(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("coordinates", c_char_p),
        ("formulation", c_char_p),
        ("integrator", c_char_p),
        ("solver", c_char_p),
        ("parameters", c_char_p),
        ("text", c_char_p),
        ("cite", c_char_p),
        ("published", c_int),
    ]


class sar_determinacy(Structure):
    _fields_ = [
        ("rank", sar_rank),
        ("undriven", c_int),
        ("singular", c_int),
        ("joints", c_char * 256),
        ("bodies", c_char * 256),
        ("weight", c_double),
    ]


class sar_motion_state(Structure):
    _fields_ = [
        ("positions", c_int),
        ("coordinates", c_int),
        ("constraints", c_int),
        ("q", c_void_p),
        ("v", c_void_p),
        ("a", c_void_p),
        ("lambda", c_void_p),
    ]


class sar_equations_view(Structure):
    _fields_ = [
        ("size", sar_equations_size),
        ("t", c_double),
        ("q", c_void_p),
        ("v", c_void_p),
        ("M", sar_csr),
        ("K", sar_csr),
        ("C", sar_csr),
        ("Phi_q", sar_csr),
        ("Phi_q_rate", sar_csr),
        ("Q", c_void_p),
        ("Phi", c_void_p),
        ("Phi_t", c_void_p),
        ("bias", c_void_p),
        ("hessian", c_void_p),
        ("context", c_void_p),
    ]


class sar_plugin_formulation(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("cite", c_char_p),
        ("options", c_char_p),
        ("singular", c_int),
        ("context", c_void_p),
        ("create", c_void_p),
        ("destroy", c_void_p),
        ("accelerations", c_void_p),
        ("correct", c_void_p),
        ("update", c_void_p),
        ("project", c_void_p),
    ]


class sar_rates(Structure):
    _fields_ = [
        ("evaluate", c_void_p),
        ("run", c_void_p),
    ]


class sar_plugin_integrator(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("cite", c_char_p),
        ("order", c_int),
        ("context", c_void_p),
        ("create", c_void_p),
        ("destroy", c_void_p),
        ("step", c_void_p),
    ]


class sar_plugin(Structure):
    _fields_ = [
        ("version", c_int),
        ("name", c_char_p),
        ("formulations", c_void_p),
        ("formulation_count", c_int),
        ("integrators", c_void_p),
        ("integrator_count", c_int),
    ]


class sar_pose_row(Structure):
    _fields_ = [
        ("role", c_int),
        ("expression", c_char_p),
        ("value", c_double),
        ("weight", c_double),
        ("lower", c_double),
        ("upper", c_double),
    ]


class sar_pose_report(Structure):
    _fields_ = [
        ("met", c_int),
        ("missed", c_int),
        ("beyond", c_int),
        ("distance", c_double),
        ("open", c_double),
        ("moved", c_double),
        ("size", c_double),
        ("starts", c_int),
        ("elsewhere", c_int),
        ("iterations", c_int),
        ("coordinates", c_int),
        ("freedoms", c_int),
    ]


class sar_trial_def(Structure):
    _fields_ = [
        ("model", c_void_p),
        ("options", sar_options),
        ("reference", c_void_p),
        ("metric", c_void_p),
        ("certify", c_double),
        ("max_seconds", c_double),
        ("extra", c_void_p),
        ("extra_count", c_int),
        ("watch", c_void_p),
        ("sampled", c_void_p),
        ("context", c_void_p),
    ]


class sar_trial(Structure):
    _fields_ = [
        ("status", c_int),
        ("stopped", c_int),
        ("failure", c_char * 512),
        ("reached", c_double),
        ("statistics", sar_statistics),
        ("rank", sar_rank),
        ("singular_passes", c_int),
        ("branch_changes", c_int),
        ("branch_changed", c_double),
        ("error", c_double),
        ("max_error", c_double),
        ("seconds", c_double),
        ("wall", c_double),
        ("step_us", c_double),
        ("certificate", sar_certificate),
        ("value", c_double),
    ]


class sar_quantity(Structure):
    _fields_ = [
        ("of", c_int),
        ("name", c_char_p),
        ("older", c_char_p),
        ("components", c_char_p),
        ("width", c_int),
        ("unit", c_char_p),
        ("text", c_char_p),
        ("get", c_void_p),
    ]


class sar_signal(Structure):
    _fields_ = [
        ("quantity", c_void_p),
        ("k", c_int),
        ("component", c_int),
    ]


class sar_measure(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("older", c_char_p),
        ("kind", c_int),
        ("unit", c_char_p),
        ("head", c_char_p),
        ("text", c_char_p),
    ]


class sar_objective(Structure):
    _fields_ = [
        ("expression", c_char_p),
        ("kind", c_int),
    ]


class sar_sensitivity_def(Structure):
    _fields_ = [
        ("source", c_void_p),
        ("settings", c_void_p),
        ("settings_count", c_int),
        ("options", c_void_p),
        ("parameter", c_void_p),
        ("value", c_void_p),
        ("parameters", c_int),
        ("objective", c_void_p),
        ("objectives", c_int),
        ("sample", c_void_p),
        ("samples", c_int),
        ("points", c_int),
        ("memory", c_double),
    ]


class sar_sensitivity_row(Structure):
    _fields_ = [
        ("objective", c_int),
        ("t", c_double),
        ("value", c_double),
    ]


class sar_sensitivity_parameter(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("value", c_double),
        ("refused", c_char_p),
        ("gap", c_double),
        ("gap_time", c_double),
    ]


PROTOTYPES = {
    "sar_status_text": (c_char_p, (c_int,)),
    "sar_set_allocator": (None, (c_void_p,)),
    "sar_magic_name": (c_char_p, (c_int,)),
    "sar_magic_usual": (c_double, (c_int,)),
    "sar_magic_find": (c_int, (c_char_p, c_size_t)),
    "sar_magic_read": (c_int, (c_char_p, c_void_p, c_void_p, c_void_p)),
    "sar_body_def_default": (sar_body_def, ()),
    "sar_model_add_body": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_model_draw": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_model_add_point": (c_int, (c_void_p, sar_body_id, c_char_p, c_void_p, c_void_p)),
    "sar_model_add_axis": (c_int, (c_void_p, sar_body_id, c_char_p, c_void_p, c_void_p)),
    "sar_model_find_body": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "sar_model_find_joint": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "sar_model_find_point": (c_int, (c_void_p, sar_body_id, c_char_p, c_size_t, c_void_p)),
    "sar_model_find_axis": (c_int, (c_void_p, sar_body_id, c_char_p, c_size_t, c_void_p)),
    "sar_frame_def_default": (sar_frame_def, ()),
    "sar_model_add_frame": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_joint_def_default": (sar_joint_def, ()),
    "sar_model_add_joint": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_model_joint_ends": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_coupling_def_default": (sar_coupling_def, ()),
    "sar_model_add_coupling": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_drive_def_default": (sar_drive_def, ()),
    "sar_model_add_drive": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_constraint_def_default": (sar_constraint_def, ()),
    "sar_model_add_constraint": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_model_joint_is_drive": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_model_forces": (c_int, (c_void_p,)),
    "sar_model_force_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_set_force_absent": (c_int, (c_void_p, c_char_p)),
    "sar_model_set_force_smooth": (c_int, (c_void_p, c_char_p)),
    "sar_model_find_force": (c_int, (c_void_p, c_char_p, c_size_t, c_void_p)),
    "sar_model_force_place": (sar_force_place, (c_void_p, sar_force_id)),
    "sar_load_def_default": (sar_load_def, ()),
    "sar_model_add_load": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_potential_def_default": (sar_potential_def, ()),
    "sar_model_add_potential": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_spring_def_default": (sar_spring_def, ()),
    "sar_model_add_spring": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_bushing_def_default": (sar_bushing_def, ()),
    "sar_model_add_bushing": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_tyre_def_default": (sar_tyre_def, ()),
    "sar_model_add_tyre": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_magic_tyre_def_default": (sar_magic_tyre_def, ()),
    "sar_model_add_magic_tyre": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_maxwell_def_default": (sar_maxwell_def, ()),
    "sar_model_add_maxwell": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_state_def_default": (sar_state_def, ()),
    "sar_model_add_state": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_model_set_state_rate": (c_int, (c_void_p, c_char_p, c_char_p, c_void_p)),
    "sar_model_states": (c_int, (c_void_p,)),
    "sar_model_state_name": (c_char_p, (c_void_p, c_int)),
    "sar_stop_def_default": (sar_stop_def, ()),
    "sar_model_add_stop": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_actuator_def_default": (sar_actuator_def, ()),
    "sar_model_add_actuator": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_attraction_def_default": (sar_attraction_def, ()),
    "sar_model_add_attraction": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_drag_def_default": (sar_drag_def, ()),
    "sar_model_add_drag": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_contact_def_default": (sar_contact_def, ()),
    "sar_model_add_contact": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_buoyancy_def_default": (sar_buoyancy_def, ()),
    "sar_model_add_buoyancy": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_friction_def_default": (sar_friction_def, ()),
    "sar_model_add_friction": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_model_create": (c_void_p, (c_char_p, c_int)),
    "sar_model_destroy": (None, (c_void_p,)),
    "sar_model_name": (c_char_p, (c_void_p,)),
    "sar_model_dimension": (c_int, (c_void_p,)),
    "sar_model_bodies": (c_int, (c_void_p,)),
    "sar_model_joints": (c_int, (c_void_p,)),
    "sar_model_phases": (c_int, (c_void_p,)),
    "sar_model_files": (c_int, (c_void_p,)),
    "sar_model_file": (c_char_p, (c_void_p, c_int)),
    "sar_model_outputs": (c_int, (c_void_p,)),
    "sar_model_body_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_joint_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_output_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_output_unit": (c_char_p, (c_void_p, c_int)),
    "sar_model_parameters": (c_int, (c_void_p,)),
    "sar_model_parameter_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_parameter_value": (c_double, (c_void_p, c_int)),
    "sar_model_set_gravity": (None, (c_void_p, c_void_p)),
    "sar_model_gravity": (None, (c_void_p, c_void_p)),
    "sar_model_body_mass": (c_double, (c_void_p, c_int)),
    "sar_model_set_parameter": (c_int, (c_void_p, c_char_p, c_double, c_void_p)),
    "sar_model_number": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_table_def_default": (sar_table_def, ()),
    "sar_model_add_table": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_input_def_default": (sar_input_def, ()),
    "sar_model_add_input": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_model_inputs": (c_int, (c_void_p,)),
    "sar_model_input_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_input_unit": (c_char_p, (c_void_p, c_int)),
    "sar_model_input_start": (c_double, (c_void_p, c_int)),
    "sar_model_find_input": (c_int, (c_void_p, c_char_p)),
    "sar_model_set_input_expression": (c_int, (c_void_p, c_int, c_char_p, c_void_p)),
    "sar_model_set_input_table": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_model_add_breakpoint": (c_int, (c_void_p, c_double, c_void_p)),
    "sar_phase_def_default": (sar_phase_def, ()),
    "sar_model_add_phase": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_model_phase": (sar_phase_def, (c_void_p, c_int)),
    "sar_model_add_output": (c_int, (c_void_p, c_char_p, c_char_p, c_void_p)),
    "sar_model_add_statistic": (c_int, (c_void_p, c_char_p, c_int, c_char_p, c_void_p)),
    "sar_model_add_filter": (c_int, (c_void_p, c_char_p, c_char_p, c_double, c_void_p)),
    "sar_model_add_integral": (c_int, (c_void_p, c_char_p, c_char_p, c_char_p, c_void_p)),
    "sar_model_add_start": (c_int, (c_void_p, c_char_p, c_double, c_void_p)),
    "sar_model_starts": (c_int, (c_void_p,)),
    "sar_model_start_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_start_unit": (c_char_p, (c_void_p, c_int)),
    "sar_model_start_value": (c_double, (c_void_p, c_int)),
    "sar_model_set_start": (None, (c_void_p, c_int, c_double)),
    "sar_model_transform": (None, (c_void_p, c_void_p, c_void_p)),
    "sar_options_default": (sar_options, ()),
    "sar_options_set": (c_int, (c_void_p, c_char_p, c_char_p, c_void_p)),
    "sar_options_apply": (c_int, (c_void_p, c_void_p, c_void_p, c_int, c_int, c_void_p, c_void_p)),
    "sar_option_name": (c_char_p, (c_int,)),
    "sar_options_name_method": (c_int, (c_void_p,)),
    "sar_options_choose": (c_int, (c_void_p, c_void_p, c_char_p, c_size_t, c_void_p)),
    "sar_options_use_tolerance": (None, (c_void_p,)),
    "sar_options_check": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_simulation_destroy": (None, (c_void_p,)),
    "sar_simulation_assemble": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_equilibrium": (sar_equilibrium, (c_void_p,)),
    "sar_simulation_advance": (c_int, (c_void_p,)),
    "sar_simulation_done": (c_int, (c_void_p,)),
    "sar_simulation_time": (c_double, (c_void_p,)),
    "sar_simulation_set_input": (c_int, (c_void_p, c_int, c_double, c_double)),
    "sar_simulation_input": (c_double, (c_void_p, c_int)),
    "sar_simulation_steps": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_exchange_step": (c_int, (c_void_p,)),
    "sar_simulation_save": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "sar_simulation_restore": (c_int, (c_void_p, c_void_p, c_size_t, c_void_p)),
    "sar_simulation_load": (c_int, (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_void_p)),
    "sar_simulation_set_state": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_simulation_to_rest": (c_int, (c_void_p,)),
    "sar_simulation_failure": (c_char_p, (c_void_p,)),
    "sar_simulation_outputs": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_outputs_at": (c_int, (c_void_p, c_double, c_void_p)),
    "sar_simulation_rates_at": (c_int, (c_void_p, c_double, c_void_p)),
    "sar_simulation_look": (c_int, (c_void_p, c_double)),
    "sar_simulation_pose": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_simulation_velocity": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_simulation_velocity_along": (None, (c_void_p, c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_simulation_reaction": (c_int, (c_void_p, sar_joint_id, c_void_p, c_void_p)),
    "sar_simulation_applied": (None, (c_void_p, sar_force_id, c_void_p, c_void_p)),
    "sar_simulation_drive_force": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_simulation_energy": (sar_energy, (c_void_p,)),
    "sar_simulation_violation": (sar_violation, (c_void_p,)),
    "sar_simulation_multipliers": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_simulation_rank": (sar_rank, (c_void_p,)),
    "sar_simulation_tree": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_redundant_joints": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_indeterminate_joints": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_subspaces": (c_int, (c_void_p, c_double, c_void_p)),
    "sar_simulation_output_rates": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_simulation_switches": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_notes": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_impacts": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_simulation_phase_rank": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_simulation_singular_passes": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_branch_changes": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_drive_jumps": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_jumps": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_passed": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_statistics": (sar_statistics, (c_void_p,)),
    "sar_model_load": (c_int, (c_char_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_model_parse": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_source_open": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p)),
    "sar_source_close": (None, (c_void_p,)),
    "sar_source_model": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_source_dimensions": (c_int, (c_void_p, c_void_p)),
    "sar_source_change": (None, (c_void_p, c_int, c_double)),
    "sar_source_numbers": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_source_change_number": (c_int, (c_void_p, c_int, c_double)),
    "sar_source_find_number": (c_int, (c_void_p, c_char_p)),
    "sar_text_free": (None, (c_char_p,)),
    "sar_model_format": (c_int, (c_int, c_void_p)),
    "sar_modes_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_modes_destroy": (None, (c_void_p,)),
    "sar_modes_summarise": (sar_modes_summary, (c_void_p,)),
    "sar_modes_list": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_to_steady": (c_int, (c_void_p, c_void_p)),
    "sar_mode_body": (c_int, (c_void_p, c_int, sar_body_id, c_void_p)),
    "sar_mode_joint": (c_int, (c_void_p, c_int, sar_joint_id, c_void_p, c_void_p)),
    "sar_state_space_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_state_space_destroy": (None, (c_void_p,)),
    "sar_state_space_system": (sar_linear_system, (c_void_p,)),
    "sar_state_space_response": (c_int, (c_void_p, c_double, c_void_p, c_void_p)),
    "sar_state_space_write": (c_int, (c_void_p, c_char_p, c_void_p)),
    "sar_self_stress_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_self_stress_destroy": (None, (c_void_p,)),
    "sar_self_stress_count": (c_int, (c_void_p,)),
    "sar_self_stress_joint": (c_int, (c_void_p, c_int, sar_joint_id, c_void_p, c_void_p)),
    "sar_self_stress_uniqueness": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_self_stress_output": (c_int, (c_void_p, c_int)),
    "sar_self_stress_by_compliances": (c_int, (c_void_p,)),
    "sar_self_stress_split": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_tolerances_create": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_tolerances_destroy": (None, (c_void_p,)),
    "sar_tolerances_look": (c_int, (c_void_p,)),
    "sar_tolerances_opening": (sar_opening, (c_void_p,)),
    "sar_tolerances_dimension": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_tolerances_joint": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_modes_scan_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_modes_scan_destroy": (None, (c_void_p,)),
    "sar_modes_scan_points": (c_int, (c_void_p, c_void_p)),
    "sar_modes_scan_changes": (c_int, (c_void_p, c_void_p)),
    "sar_map_options_default": (sar_map_options, ()),
    "sar_map_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_map_destroy": (None, (c_void_p,)),
    "sar_map_create_singular": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_map_regions": (c_int, (c_void_p, c_void_p)),
    "sar_map_summarise": (sar_map_summary, (c_void_p,)),
    "sar_map_quantities": (c_int, (c_void_p, c_void_p)),
    "sar_map_input": (c_int, (c_void_p,)),
    "sar_map_arcs": (c_int, (c_void_p, c_void_p)),
    "sar_map_nodes": (c_int, (c_void_p, c_void_p)),
    "sar_map_components": (c_int, (c_void_p, c_void_p)),
    "sar_map_find": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_map_pose": (c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    "sar_map_values": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_map_transmission_angles": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_sampling_of": (sar_sampling, (c_void_p, c_int)),
    "sar_sampling_next": (c_int, (c_void_p, c_long, c_double, c_void_p)),
    "sar_run_begin": (sar_run, (c_void_p, c_void_p)),
    "sar_run_sample": (c_int, (c_void_p, c_void_p)),
    "sar_run_step": (c_int, (c_void_p,)),
    "sar_simulation_advance_to": (c_int, (c_void_p, c_double)),
    "sar_batch_create": (c_int, (c_void_p, c_int, c_int, c_void_p, c_void_p)),
    "sar_batch_destroy": (None, (c_void_p,)),
    "sar_batch_run": (c_int, (c_void_p, c_double)),
    "sar_batch_at": (c_void_p, (c_void_p, c_int)),
    "sar_batch_steps": (c_long, (c_void_p,)),
    "sar_reference_options": (c_int, (c_void_p, c_int, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_certify": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_simulation_work": (c_double, (c_void_p,)),
    "sar_reference_run": (None, (c_void_p, c_void_p)),
    "sar_reference_outcome_certify": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_large_bushing_def_default": (sar_large_bushing_def, ()),
    "sar_model_add_large_bushing": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_shaft_def_default": (sar_shaft_def, ()),
    "sar_model_add_shaft": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_cable_def_default": (sar_cable_def, ()),
    "sar_model_add_cable": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_rotor_def_default": (sar_rotor_def, ()),
    "sar_model_add_rotor": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_shape_def_default": (sar_shape_def, ()),
    "sar_model_add_shape": (c_int, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_model_set_density": (c_int, (c_void_p, sar_body_id, c_double, c_void_p)),
    "sar_model_shapes": (c_int, (c_void_p, sar_body_id)),
    "sar_model_shape": (c_void_p, (c_void_p, sar_body_id, c_int)),
    "sar_model_clearance": (c_int, (c_void_p, sar_body_id, c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_drawing_create": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_drawing_destroy": (None, (c_void_p,)),
    "sar_drawing_marks": (c_int, (c_void_p,)),
    "sar_drawing_mark": (c_void_p, (c_void_p, c_int)),
    "sar_drawing_size": (c_double, (c_void_p,)),
    "sar_drawing_bounds": (None, (c_void_p, c_void_p, c_void_p)),
    "sar_drawing_up": (None, (c_void_p, c_void_p)),
    "sar_mark_kind_word": (c_char_p, (c_int,)),
    "sar_mark_role_word": (c_char_p, (c_int,)),
    "sar_style_word": (c_char_p, (c_int,)),
    "sar_simulation_accounts": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_account_is_stored": (c_int, (c_int,)),
    "sar_equations_create": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_equations_destroy": (None, (c_void_p,)),
    "sar_equations_sizes": (sar_equations_size, (c_void_p,)),
    "sar_equations_name": (c_int, (c_void_p, c_int, c_int, c_char_p, c_size_t)),
    "sar_equations_start": (None, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_equations_take": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_equations_set_input": (c_int, (c_void_p, c_int, c_double)),
    "sar_equations_evaluate": (c_int, (c_void_p, c_double, c_void_p, c_void_p)),
    "sar_equations_get": (c_void_p, (c_void_p, c_int)),
    "sar_equations_sparse": (sar_csr, (c_void_p, c_int)),
    "sar_equations_dense": (None, (c_void_p, c_int, c_void_p)),
    "sar_equations_hessian": (None, (c_void_p, c_void_p, c_void_p)),
    "sar_equations_kinetic_energy": (c_double, (c_void_p,)),
    "sar_equations_potential_energy": (c_double, (c_void_p,)),
    "sar_equations_body_jacobian": (c_int, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_equations_body_inertia": (c_int, (c_void_p, sar_body_id, c_void_p, c_void_p, c_void_p)),
    "sar_equations_output": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_equations_independent": (c_int, (c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_equations_move": (None, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_equations_rates": (None, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_robot_write": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_optimum_text": (c_char_p, (c_int,)),
    "sar_optimise": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_optimisation_has_nlopt": (c_int, ()),
    "sar_covariance_find": (c_int, (c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_result_read": (c_int, (c_char_p, c_void_p, c_void_p)),
    "sar_result_read_all": (c_int, (c_char_p, c_void_p, c_void_p)),
    "sar_result_prepare": (c_int, (c_char_p, c_void_p)),
    "sar_result_destroy": (None, (c_void_p,)),
    "sar_result_rows": (c_int, (c_void_p,)),
    "sar_result_columns": (c_int, (c_void_p,)),
    "sar_result_name": (c_char_p, (c_void_p, c_int)),
    "sar_result_time": (c_void_p, (c_void_p,)),
    "sar_result_column": (c_void_p, (c_void_p, c_int)),
    "sar_result_rate": (c_void_p, (c_void_p, c_int)),
    "sar_result_find": (c_int, (c_void_p, c_char_p)),
    "sar_result_is_estimate": (c_int, (c_void_p, c_int)),
    "sar_result_attribute": (c_char_p, (c_void_p, c_char_p)),
    "sar_writer_open": (c_int, (c_char_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_writer_append": (c_int, (c_void_p, c_void_p)),
    "sar_writer_attribute": (c_int, (c_void_p, c_char_p, c_char_p)),
    "sar_writer_flush": (c_int, (c_void_p, c_void_p)),
    "sar_writer_kept": (c_long, (c_void_p, c_void_p)),
    "sar_writer_finish": (c_int, (c_void_p, c_void_p)),
    "sar_writer_close": (c_int, (c_void_p, c_void_p)),
    "sar_result_compare": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_study_default": (sar_study, ()),
    "sar_fit_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_fit_destroy": (None, (c_void_p,)),
    "sar_fit_run": (c_int, (c_void_p, c_void_p)),
    "sar_fit_summarise": (sar_fit_summary, (c_void_p,)),
    "sar_fit_numbers": (c_int, (c_void_p,)),
    "sar_fit_number_at": (sar_fit_number, (c_void_p, c_int)),
    "sar_fit_correlation": (c_double, (c_void_p, c_int, c_int)),
    "sar_fit_combination": (c_void_p, (c_void_p, c_int)),
    "sar_fit_curves": (c_int, (c_void_p,)),
    "sar_fit_curve_at": (sar_fit_curve, (c_void_p, c_int)),
    "sar_design_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_design_destroy": (None, (c_void_p,)),
    "sar_design_run": (c_int, (c_void_p, c_void_p)),
    "sar_design_summarise": (sar_design_summary, (c_void_p,)),
    "sar_design_objective": (c_double, (c_void_p, c_int)),
    "sar_design_numbers": (c_int, (c_void_p,)),
    "sar_design_number_at": (sar_fit_number, (c_void_p, c_int)),
    "sar_design_limits": (c_int, (c_void_p,)),
    "sar_design_limit_at": (sar_design_limit, (c_void_p, c_int)),
    "sar_design_curves": (c_int, (c_void_p,)),
    "sar_design_curve_at": (sar_design_curve, (c_void_p, c_int)),
    "sar_fmu_write": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_fmu_verify": (c_int, (c_char_p, c_void_p, c_void_p)),
    "sar_import_is_robot": (c_int, (c_char_p, c_size_t)),
    "sar_import_text": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p, c_void_p, c_void_p)),
    "sar_axis_name": (c_char_p, (c_int,)),
    "sar_axis_members": (c_int, (c_int,)),
    "sar_axis_member": (sar_member, (c_int, c_int)),
    "sar_presets": (c_int, ()),
    "sar_preset_at": (sar_preset, (c_int,)),
    "sar_methods_conflict": (c_char_p, (c_char_p, c_char_p, c_char_p, c_char_p)),
    "sar_bibtex": (c_char_p, (c_char_p,)),
    "sar_motion_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_motion_destroy": (None, (c_void_p,)),
    "sar_motion_assemble": (c_int, (c_void_p, c_void_p)),
    "sar_motion_go": (c_int, (c_void_p, c_double)),
    "sar_motion_advance": (c_int, (c_void_p,)),
    "sar_motion_done": (c_int, (c_void_p,)),
    "sar_motion_time": (c_double, (c_void_p,)),
    "sar_motion_failure": (c_char_p, (c_void_p,)),
    "sar_motion_determinacy": (sar_determinacy, (c_void_p,)),
    "sar_motion_outputs": (c_int, (c_void_p, c_void_p)),
    "sar_motion_pose": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_motion_velocity": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_motion_reaction": (c_int, (c_void_p, sar_joint_id, c_void_p, c_void_p)),
    "sar_motion_drive_force": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_motion_drive_power": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_motion_energy": (sar_energy, (c_void_p,)),
    "sar_motion_violation": (sar_violation, (c_void_p,)),
    "sar_motion_iterations": (c_long, (c_void_p,)),
    "sar_motion_coordinates": (sar_motion_state, (c_void_p,)),
    "sar_motion_forces": (c_int, (c_void_p, c_double, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_plugin_register": (c_int, (c_void_p, c_void_p)),
    "sar_plugin_load": (c_int, (c_char_p, c_void_p)),
    "sar_pose_row_default": (sar_pose_row, ()),
    "sar_pose_create": (c_int, (c_void_p, c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_pose_destroy": (None, (c_void_p,)),
    "sar_pose_set": (c_int, (c_void_p, c_int, c_double)),
    "sar_pose_solve": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_pose_reset": (None, (c_void_p,)),
    "sar_pose_rows": (c_int, (c_void_p,)),
    "sar_pose_row_name": (c_char_p, (c_void_p, c_int)),
    "sar_pose_row_value": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_pose_table": (c_int, (c_void_p, c_int, c_int, c_int, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_pose_starts": (c_int, (c_void_p,)),
    "sar_pose_start_name": (c_char_p, (c_void_p, c_int)),
    "sar_pose_start_value": (c_double, (c_void_p, c_int)),
    "sar_pose_body": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_trial_run": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_quantities": (c_int, ()),
    "sar_quantity_at": (c_void_p, (c_int,)),
    "sar_signal_find": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_signal_get": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_measure_at": (sar_measure, (c_int,)),
    "sar_measure_find": (c_int, (c_char_p, c_int)),
    "sar_measure_get": (c_double, (c_int, c_void_p)),
    "sar_sensitivity_def_default": (sar_sensitivity_def, ()),
    "sar_sensitivity_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_destroy": (None, (c_void_p,)),
    "sar_sensitivity_rows": (c_int, (c_void_p,)),
    "sar_sensitivity_parameters": (c_int, (c_void_p,)),
    "sar_sensitivity_run": (c_int, (c_void_p, c_void_p)),
    "sar_sensitivity_get_row": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_sensitivity_get_parameter": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_sensitivity_jacobian": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_column": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_sensitivity_column_error": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_sensitivity_along": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_gradient": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
}


def declare(library: CDLL) -> None:
    """Give all functions of the library their types."""
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
