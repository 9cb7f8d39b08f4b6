//! The papers, and other claims: a chapter of the report each.

use pliant_plot::report::Chapter;

const CHAPTERS: &[Chapter] = &[
    Chapter {
        id: "intro",
        title: "An introduction to simulation",
        source: "Joubert, An Introduction to Simulation: Lagrangian simulation of spring-mass systems",
        about: "Explicit Euler gains energy, implicit Euler loses it and takes steps of any length; a ball on a spring that goes round shows both.",
        scene: "orbiting-ball",
    },
    Chapter {
        id: "ropes",
        title: "Integrators and ropes",
        source: "Cioacă and Cărămizaru, On the impact of explicit or semi-implicit integration methods over the stability of real-time numerical simulations",
        about: "Nine integrators by order, symplecticity, stability and cost, scored on ropes that twist, knot and keep their volume.",
        scene: "rope-net",
    },
    Chapter {
        id: "adaptive",
        title: "Adaptive time stepping",
        source: "Adaptive Time-Stepping with Linearized Force Error Estimation",
        about: "A linearized implicit step knows how wrong its force was at its end; the next step follows from that and an error in metres.",
        scene: "hanging-cloth",
    },
    Chapter {
        id: "corotational",
        title: "Solids that rotate",
        source: "Hauth and Straßer, Corotational Simulation of Deformable Solids",
        about: "A linear material measured in a frame that turns with each tetrahedron has no ghost forces; coarse frames may do for fine meshes.",
        scene: "twisting-bar",
    },
    Chapter {
        id: "restrained",
        title: "Adaptively restrained particles",
        source: "Manteaux, Faure, Redon and Cani, Exploring the use of adaptively restrained particles for graphics simulations",
        about: "Particles with little momentum are restrained while their momenta go on changing, and cost nothing until they are released.",
        scene: "curtain-touched",
    },
    Chapter {
        id: "linear",
        title: "Linear solvers",
        source: "",
        about: "What the length of a step does to the work of solving for it.",
        scene: "spring-net",
    },
    Chapter {
        id: "cloth",
        title: "Cloth",
        source: "",
        about: "Sheets that hang still, against what is known of them.",
        scene: "cloth-curtain",
    },
    Chapter {
        id: "fluid",
        title: "Fluids",
        source: "",
        about: "Vortices, a dam break, and pressures that are solved for, against theory and experiment.",
        scene: "dam-break",
    },
    Chapter {
        id: "fracture",
        title: "Fracture",
        source: "",
        about: "Bonds break under adaptive steps, and the cracks should not depend on the length of steps.",
        scene: "wine-glass",
    },
];

/// All of them, in the order of the report.
pub fn chapters() -> &'static [Chapter] {
    CHAPTERS
}

/// The chapter of an experiment.
pub fn chapter(id: &str) -> Option<&'static Chapter> {
    CHAPTERS.iter().find(|chapter| chapter.id == id)
}

#[cfg(test)]
mod tests {
    use super::chapter;

    #[test]
    fn every_experiment_has_a_chapter() {
        for entry in crate::experiments() {
            let chapter =
                chapter(entry.paper).unwrap_or_else(|| panic!("{}: no chapter is called {}", entry.id, entry.paper));
            assert!(pliant::scene::builtin::SCENES.iter().any(|(name, _)| *name == chapter.scene), "{}", chapter.scene);
        }
    }
}
