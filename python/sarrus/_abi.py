"""The C interface, as tools/python_abi.py reads it from the headers: do not edit."""
# mypy: ignore-errors
from ctypes import (CDLL, Structure, c_char, c_char_p, c_double, c_int, c_int32, c_long, c_size_t, c_uint, c_uint64,
                    c_void_p)

VERSION = "0.2.0"

SAR_OK = 0
SAR_R_SINGULAR = 1
SAR_R_NO_CONV = 2
SAR_R_VIOLATED = 4
SAR_E_ARG = -1
SAR_E_MODEL = -3
SAR_E_INCOMPAT = -4
SAR_E_ASSEMBLY = -5
SAR_E_IO = -6
SAR_COORD_ANGLE = 0
SAR_COORD_ANGLE_2 = 3
SAR_ASSEMBLED = 0
SAR_ASSEMBLY_IMPOSSIBLE = 1
SAR_ASSEMBLY_NOT_CONVERGED = 2
SAR_ASSEMBLY_AS_GIVEN = 3
SAR_EQUILIBRIUM_STABLE = 1
SAR_EQUILIBRIUM_UNDETERMINED = 2
SAR_EQUILIBRIUM_UNSTABLE = 3
SAR_EQUILIBRIUM_NOT_FOUND = 4
SAR_EQUILIBRIUM_MARGINAL = 5
SAR_EQUILIBRIUM_SINGULAR = 6
SAR_MODES_EQUILIBRIUM = 0
SAR_MODES_STEADY = 1
SAR_MODES_FROZEN = 2
SAR_MAP_NO_BALANCE = -1000000
SAR_MARK_CAPSULE = 0
SAR_MARK_CYLINDER = 1
SAR_MARK_BALL = 2
SAR_MARK_BOX = 3
SAR_MARK_PLATE = 4
SAR_MARK_POLYGON = 5
SAR_MARK_MESH = 7
SAR_MARK_COIL = 8
SAR_MARK_POT = 9
SAR_MARK_BAR = 10
SAR_ROLE_BODY = 0
SAR_ROLE_STRIPE = 6
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
SAR_AXIS_COORDINATES = 0
SAR_AXIS_FORMULATION = 1
SAR_AXIS_INTEGRATOR = 2
SAR_AXIS_SOLVER = 3
SAR_AXES = 4
SAR_POSE_WANT = 0
SAR_POSE_KEEP = 1
SAR_POSE_PREFER = 2
SAR_POSE_LIMIT = 3
SAR_OF_BODY = 0
SAR_OF_JOINT = 1
SAR_OF_FORCE = 2
SAR_OF_RUN = 3
SAR_KIND_COUNT = 1
SAR_MEASURES = 24
SAR_OBJECTIVE_END = 0
SAR_OBJECTIVE_SAMPLES = 1
SAR_OBJECTIVE_INTEGRAL = 2
SAR_OBJECTIVE_MEAN = 3
SAR_OBJECTIVE_MAX = 4
SAR_OBJECTIVE_MIN = 5
SAR_OBJECTIVE_TIME = 6
SAR_TUNE_MOST = 6


class sar_error(Structure):
    _fields_ = [
        ("status", c_int),
        ("field", c_char * 64),
        ("offset", c_int),
        ("message", c_char * 384),
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


class sar_end(Structure):
    _fields_ = [
        ("body", sar_body_id),
        ("point", c_double * 3),
        ("axis", c_double * 3),
        ("normal", c_double * 3),
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


class sar_event(Structure):
    _fields_ = [
        ("t", c_double),
        ("rank", c_int),
        ("joints", c_char * 192),
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


class sar_member(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("text", c_char_p),
        ("cite", c_char_p),
        ("variable_step", c_int),
        ("interpolates", c_int),
        ("takes", c_uint),
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
        ("components", c_char_p),
        ("width", c_int),
        ("unit", c_char_p),
        ("text", c_char_p),
        ("get", c_void_p),
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


class sar_tune_variable(Structure):
    _fields_ = [
        ("least", c_double),
        ("most", c_double),
        ("logarithmic", c_int),
        ("integer", c_int),
    ]


class sar_tune_outcome(Structure):
    _fields_ = [
        ("passes", c_int),
        ("cost", c_double),
        ("value", c_double),
    ]


class sar_tune_def(Structure):
    _fields_ = [
        ("variables", c_void_p),
        ("count", c_int),
        ("driver", c_int),
        ("points", c_int),
        ("tightness", c_double),
        ("evaluate", c_void_p),
        ("least_cost", c_void_p),
        ("context", c_void_p),
    ]


class sar_tune_answer(Structure):
    _fields_ = [
        ("found", c_int),
        ("setting", c_double * 6),
        ("outcome", sar_tune_outcome),
        ("tried", c_int),
    ]


PROTOTYPES = {
    "sar_status_text": (c_char_p, (c_int,)),
    "sar_model_find_point": (c_int, (c_void_p, sar_body_id, c_char_p, c_size_t, c_void_p)),
    "sar_model_joint_ends": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_model_joint_is_drive": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_model_forces": (c_int, (c_void_p,)),
    "sar_model_force_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_states": (c_int, (c_void_p,)),
    "sar_model_state_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_destroy": (None, (c_void_p,)),
    "sar_model_name": (c_char_p, (c_void_p,)),
    "sar_model_dimension": (c_int, (c_void_p,)),
    "sar_model_bodies": (c_int, (c_void_p,)),
    "sar_model_joints": (c_int, (c_void_p,)),
    "sar_model_outputs": (c_int, (c_void_p,)),
    "sar_model_body_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_joint_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_output_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_output_unit": (c_char_p, (c_void_p, c_int)),
    "sar_model_parameters": (c_int, (c_void_p,)),
    "sar_model_parameter_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_parameter_value": (c_double, (c_void_p, c_int)),
    "sar_model_gravity": (None, (c_void_p, c_void_p)),
    "sar_model_body_mass": (c_double, (c_void_p, c_int)),
    "sar_table_def_default": (sar_table_def, ()),
    "sar_model_inputs": (c_int, (c_void_p,)),
    "sar_model_input_name": (c_char_p, (c_void_p, c_int)),
    "sar_model_input_start": (c_double, (c_void_p, c_int)),
    "sar_model_find_input": (c_int, (c_void_p, c_char_p)),
    "sar_model_set_input_expression": (c_int, (c_void_p, c_int, c_char_p, c_void_p)),
    "sar_model_set_input_table": (c_int, (c_void_p, c_int, c_void_p, c_void_p)),
    "sar_options_default": (sar_options, ()),
    "sar_options_set": (c_int, (c_void_p, c_char_p, c_char_p, c_void_p)),
    "sar_options_apply": (c_int, (c_void_p, c_void_p, c_void_p, c_int, c_int, c_void_p, c_void_p)),
    "sar_option_name": (c_char_p, (c_int,)),
    "sar_options_choose": (c_int, (c_void_p, c_void_p, c_char_p, c_size_t, c_void_p)),
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
    "sar_simulation_failure": (c_char_p, (c_void_p,)),
    "sar_simulation_outputs": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_outputs_at": (c_int, (c_void_p, c_double, c_void_p)),
    "sar_simulation_look": (c_int, (c_void_p, c_double)),
    "sar_simulation_pose": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_simulation_velocity": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_simulation_reaction": (c_int, (c_void_p, sar_joint_id, c_void_p, c_void_p)),
    "sar_simulation_applied": (None, (c_void_p, sar_force_id, c_void_p, c_void_p)),
    "sar_simulation_energy": (sar_energy, (c_void_p,)),
    "sar_simulation_multipliers": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_simulation_rank": (sar_rank, (c_void_p,)),
    "sar_simulation_redundant_joints": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_indeterminate_joints": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_switches": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_notes": (c_int, (c_void_p, c_void_p, c_int)),
    "sar_simulation_singular_passes": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_branch_changes": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_jumps": (c_int, (c_void_p, c_void_p)),
    "sar_simulation_statistics": (sar_statistics, (c_void_p,)),
    "sar_model_load": (c_int, (c_char_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_model_parse": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_source_open": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p)),
    "sar_source_close": (None, (c_void_p,)),
    "sar_source_model": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p, c_void_p)),
    "sar_source_dimensions": (c_int, (c_void_p, c_void_p)),
    "sar_source_change": (None, (c_void_p, c_int, c_double)),
    "sar_source_numbers": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_text_free": (None, (c_char_p,)),
    "sar_yaml_json": (c_int, (c_char_p, c_size_t, c_char_p, c_void_p, c_void_p)),
    "sar_modes_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_modes_destroy": (None, (c_void_p,)),
    "sar_modes_summarise": (sar_modes_summary, (c_void_p,)),
    "sar_modes_list": (c_int, (c_void_p, c_void_p)),
    "sar_mode_body": (c_int, (c_void_p, c_int, sar_body_id, c_void_p)),
    "sar_mode_joint": (c_int, (c_void_p, c_int, sar_joint_id, c_void_p, c_void_p)),
    "sar_state_space_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_state_space_destroy": (None, (c_void_p,)),
    "sar_state_space_system": (sar_linear_system, (c_void_p,)),
    "sar_state_space_write": (c_int, (c_void_p, c_char_p, c_void_p)),
    "sar_self_stress_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_self_stress_destroy": (None, (c_void_p,)),
    "sar_self_stress_count": (c_int, (c_void_p,)),
    "sar_self_stress_joint": (c_int, (c_void_p, c_int, sar_joint_id, c_void_p, c_void_p)),
    "sar_self_stress_uniqueness": (c_int, (c_void_p, sar_joint_id, c_void_p)),
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
    "sar_map_summarise": (sar_map_summary, (c_void_p,)),
    "sar_map_quantities": (c_int, (c_void_p, c_void_p)),
    "sar_map_arcs": (c_int, (c_void_p, c_void_p)),
    "sar_map_nodes": (c_int, (c_void_p, c_void_p)),
    "sar_map_components": (c_int, (c_void_p, c_void_p)),
    "sar_map_find": (c_int, (c_void_p, c_char_p, c_void_p, c_void_p)),
    "sar_map_pose": (c_int, (c_void_p, c_void_p, c_double, c_void_p, c_void_p)),
    "sar_map_values": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_sampling_of": (sar_sampling, (c_void_p, c_int)),
    "sar_run_begin": (sar_run, (c_void_p, c_void_p)),
    "sar_run_sample": (c_int, (c_void_p, c_void_p)),
    "sar_run_step": (c_int, (c_void_p,)),
    "sar_simulation_advance_to": (c_int, (c_void_p, c_double)),
    "sar_batch_create": (c_int, (c_void_p, c_int, c_int, c_void_p, c_void_p)),
    "sar_batch_destroy": (None, (c_void_p,)),
    "sar_batch_run": (c_int, (c_void_p, c_double)),
    "sar_batch_at": (c_void_p, (c_void_p, c_int)),
    "sar_batch_steps": (c_long, (c_void_p,)),
    "sar_reference_run": (None, (c_void_p, c_void_p)),
    "sar_reference_outcome_certify": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_model_clearance": (c_int, (c_void_p, sar_body_id, c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_drawing_create": (c_int, (c_void_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_drawing_destroy": (None, (c_void_p,)),
    "sar_drawing_marks": (c_int, (c_void_p,)),
    "sar_drawing_mark": (c_void_p, (c_void_p, c_int)),
    "sar_drawing_size": (c_double, (c_void_p,)),
    "sar_drawing_bounds": (None, (c_void_p, c_void_p, c_void_p)),
    "sar_drawing_up": (None, (c_void_p, c_void_p)),
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
    "sar_result_read": (c_int, (c_char_p, c_void_p, c_void_p)),
    "sar_result_destroy": (None, (c_void_p,)),
    "sar_result_rows": (c_int, (c_void_p,)),
    "sar_result_time": (c_void_p, (c_void_p,)),
    "sar_result_column": (c_void_p, (c_void_p, c_int)),
    "sar_result_find": (c_int, (c_void_p, c_char_p)),
    "sar_writer_open": (c_int, (c_char_p, c_void_p, c_int, c_void_p, c_void_p)),
    "sar_writer_append": (c_int, (c_void_p, c_void_p)),
    "sar_writer_attribute": (c_int, (c_void_p, c_char_p, c_char_p)),
    "sar_writer_close": (c_int, (c_void_p, c_void_p)),
    "sar_result_compare": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_axis_name": (c_char_p, (c_int,)),
    "sar_axis_members": (c_int, (c_int,)),
    "sar_axis_member": (sar_member, (c_int, c_int)),
    "sar_methods_conflict": (c_char_p, (c_char_p, c_char_p, c_char_p, c_char_p)),
    "sar_motion_create": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_motion_destroy": (None, (c_void_p,)),
    "sar_motion_assemble": (c_int, (c_void_p, c_void_p)),
    "sar_motion_go": (c_int, (c_void_p, c_double)),
    "sar_motion_failure": (c_char_p, (c_void_p,)),
    "sar_motion_outputs": (c_int, (c_void_p, c_void_p)),
    "sar_motion_pose": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_motion_velocity": (None, (c_void_p, sar_body_id, c_void_p, c_void_p)),
    "sar_motion_reaction": (c_int, (c_void_p, sar_joint_id, c_void_p, c_void_p)),
    "sar_motion_drive_force": (c_int, (c_void_p, sar_joint_id, c_void_p)),
    "sar_plugin_register": (c_int, (c_void_p, c_void_p)),
    "sar_plugin_load": (c_int, (c_char_p, c_void_p)),
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
    "sar_measure_at": (sar_measure, (c_int,)),
    "sar_measure_get": (c_double, (c_int, c_void_p)),
    "sar_sensitivity_def_default": (sar_sensitivity_def, ()),
    "sar_sensitivity_create": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_destroy": (None, (c_void_p,)),
    "sar_sensitivity_rows": (c_int, (c_void_p,)),
    "sar_sensitivity_run": (c_int, (c_void_p, c_void_p)),
    "sar_sensitivity_get_row": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_sensitivity_get_parameter": (c_int, (c_void_p, c_int, c_void_p)),
    "sar_sensitivity_jacobian": (c_int, (c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_along": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_sensitivity_gradient": (c_int, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "sar_tune": (c_int, (c_void_p, c_void_p, c_void_p)),
}


def declare(library: CDLL) -> None:
    """Give all functions of the library their types."""
    for name, (result, arguments) in PROTOTYPES.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
