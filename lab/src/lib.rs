//! The papers' experiments as code: each one runs, writes its data and plots, and says whether the claim holds.
//!
//! [`experiments`] lists them; `pliant reproduce` runs them into a [`Report`](pliant_plot::report::Report). Every number and every verdict is computed when
//! an experiment runs. [`score`](mod@score) works on any scene and is what `pliant bench integrators` prints.

pub mod adaptive;
pub mod chapters;
pub mod claims;
pub mod clock;
pub mod cloth;
pub mod contest;
pub mod energy;
pub mod fluid;
pub mod fracture;
pub mod huge_step;
pub mod integrator_table;
pub mod integrators;
pub mod machine;
pub mod phase;
pub mod restrained;
pub mod ropes_score;
pub mod score;
pub mod solid;
pub mod stepper;

use pliant_plot::report::Experiment;

/// An experiment that can be run.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name, on the command line and as a folder of the report.
    pub id: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The [`Chapter`](pliant_plot::report::Chapter) it belongs to.
    pub paper: &'static str,
    /// Runs it.
    pub run: Run,
}

/// Runs an experiment and reports its progress.
pub type Run = fn(&mut dyn FnMut(&str)) -> Experiment;

const EXPERIMENTS: &[Entry] = &[
    Entry { id: "intro-energy", title: "Energy of the orbiting ball", paper: "intro", run: energy::orbit_energy },
    Entry { id: "intro-huge-step", title: "A hundred years in one step", paper: "intro", run: huge_step::huge_step },
    Entry { id: "ropes-phase", title: "Phase portraits of the pendulum", paper: "ropes", run: phase::phase_portraits },
    Entry {
        id: "ropes-integrators",
        title: "Order, symplecticity and stability of the integrators",
        paper: "ropes",
        run: integrator_table::integrator_table,
    },
    Entry {
        id: "ropes-score",
        title: "Stability against cost: the score table",
        paper: "ropes",
        run: ropes_score::ropes_score,
    },
    Entry {
        id: "adaptive-nonlinear-spring",
        title: "Adaptive steps on the nonlinear spring",
        paper: "adaptive",
        run: adaptive::nonlinear_spring,
    },
    Entry {
        id: "adaptive-nonlinear-spring-strong",
        title: "Adaptive steps where the force is strongly nonlinear",
        paper: "adaptive",
        run: adaptive::nonlinear_spring_strong,
    },
    Entry {
        id: "adaptive-work-precision",
        title: "Work against precision",
        paper: "adaptive",
        run: adaptive::work_precision,
    },
    Entry { id: "adaptive-cloth", title: "Adaptive steps on cloth", paper: "adaptive", run: cloth::adaptive_cloth },
    Entry {
        id: "linear-iterations",
        title: "Iterations of the linear solver as steps grow",
        paper: "linear",
        run: cloth::linear_iterations,
    },
    Entry { id: "cloth-sag", title: "Sheets that hang still", paper: "cloth", run: cloth::cloth_sag },
    Entry {
        id: "corotational-forces",
        title: "Forces of corotated measures in a turned and sheared cube",
        paper: "corotational",
        run: solid::corotational_forces,
    },
    Entry {
        id: "corotational-displacements",
        title: "A bent bar with each measure",
        paper: "corotational",
        run: solid::corotational_displacements,
    },
    Entry {
        id: "corotational-hierarchy",
        title: "Coarse rotations for fine tetrahedra",
        paper: "corotational",
        run: solid::corotational_hierarchy,
    },
    Entry {
        id: "corotational-steps",
        title: "Adaptive steps on solids",
        paper: "corotational",
        run: solid::corotational_steps,
    },
    Entry {
        id: "fluid-taylor-green",
        title: "Vortices that viscosity slows down",
        paper: "fluid",
        run: fluid::taylor_green,
    },
    Entry { id: "fluid-dam-break", title: "The front of a dam break", paper: "fluid", run: fluid::dam_break },
    Entry {
        id: "fluid-divergence-free",
        title: "Pressures that are solved for against pressures that answer",
        paper: "fluid",
        run: fluid::divergence_free,
    },
    Entry {
        id: "fracture-steps",
        title: "Adaptive steps where glass breaks",
        paper: "fracture",
        run: fracture::fracture_steps,
    },
    Entry {
        id: "fracture-step-dependence",
        title: "Cracks and the length of steps",
        paper: "fracture",
        run: fracture::step_dependence,
    },
    Entry {
        id: "restrained-portraits",
        title: "Phase portraits of the restrained oscillator",
        paper: "restrained",
        run: restrained::phase_portraits,
    },
    Entry {
        id: "restrained-stability",
        title: "Where implicit restraint is stable",
        paper: "restrained",
        run: restrained::stability_map,
    },
    Entry { id: "restrained-waves", title: "Waves in what stands still", paper: "restrained", run: restrained::waves },
    Entry {
        id: "restrained-block-of-water",
        title: "A block of water, restrained",
        paper: "restrained",
        run: restrained::block_of_water,
    },
    Entry {
        id: "restrained-permanent-flow",
        title: "A permanent flow, restrained",
        paper: "restrained",
        run: restrained::permanent_flow,
    },
    Entry {
        id: "restrained-hanging-cloth",
        title: "A hanging cloth, restrained",
        paper: "restrained",
        run: restrained::hanging_cloth,
    },
];

/// All experiments, in the order of the report.
pub fn experiments() -> &'static [Entry] {
    EXPERIMENTS
}
