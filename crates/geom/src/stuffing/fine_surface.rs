//! A surface with more detail than the body that carries it. It takes no part in forces, contact or states: its vertices follow from the
//! positions of the particles when it is drawn or exported.

use super::Anchor;

/// Triangles whose corners are carried along by particles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FineSurface {
    /// Anchor of each vertex: particles of the whole system.
    pub vertices: Vec<Anchor>,
    /// Corners of each triangle: numbers of vertices.
    pub triangles: Vec<[u32; 3]>,
}

impl FineSurface {
    /// Interpolates a quantity of all particles to the vertices: positions, velocities, colours.
    ///
    /// # Panics
    /// If it is anchored to particles that have none; see [`FineSurface::first_missing`].
    pub fn carry<T>(&self, values: &[T]) -> Vec<T>
    where
        T: Copy + std::ops::Add<Output = T> + std::ops::Sub<Output = T>,
        f64: std::ops::Mul<T, Output = T>,
    {
        self.vertices.iter().map(|anchor| anchor.carry(values)).collect()
    }

    /// Marks the vertices anchored only to marked particles.
    pub fn all_of(&self, is_so: impl Fn(u32) -> bool) -> Vec<bool> {
        let corners = |anchor: &Anchor| anchor.corners.iter().zip(anchor.weights).all(|(c, w)| w == 0.0 || is_so(*c));
        self.vertices.iter().map(corners).collect()
    }

    /// The first particle with an index of `count` or more.
    pub fn first_missing(&self, count: usize) -> Option<u32> {
        self.vertices.iter().flat_map(|anchor| anchor.corners).find(|particle| *particle as usize >= count)
    }

    /// The first corner of a triangle that is no vertex.
    pub fn first_bad_corner(&self) -> Option<u32> {
        self.triangles.iter().flatten().copied().find(|corner| *corner as usize >= self.vertices.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::icosphere;
    use crate::stuffing::{embed, tetrahedralize};
    use glam::{DMat3, DVec3};

    fn ball() -> (Vec<DVec3>, FineSurface, Vec<DVec3>) {
        let mesh = icosphere(0.5, 3).unwrap();
        let stuffed = tetrahedralize(&mesh, 0.3).unwrap();
        let vertices = embed(&stuffed.points, &stuffed.tets, &mesh.points).unwrap();
        (stuffed.points, FineSurface { vertices, triangles: mesh.triangles }, mesh.points)
    }

    #[test]
    fn an_affine_motion_of_the_particles_is_that_of_the_surface() {
        let (points, fine, places) = ball();
        let map = DMat3::from_cols(DVec3::new(1.3, 0.2, -0.1), DVec3::new(0.4, 0.7, 0.0), DVec3::new(0.0, -0.5, 2.0));
        let by = DVec3::new(30.0, -20.0, 10.0);
        let moved: Vec<DVec3> = points.iter().map(|x| map * *x + by).collect();
        // |by| has 2e-15 · 37 of rounding, and weights are below 10.
        for (x, place) in fine.carry(&moved).into_iter().zip(&places) {
            assert!(x.distance(map * *place + by) < 1e-12, "{x}");
        }
        // A function linear in space stays linear: a colour, for example.
        let height: Vec<f64> = points.iter().map(|x| 3.0 * x.y - x.z).collect();
        for (value, place) in fine.carry(&height).into_iter().zip(&places) {
            assert!((value - 3.0 * place.y + place.z).abs() < 1e-12, "{value}");
        }
    }

    #[test]
    fn what_does_not_fit_is_found() {
        let (points, mut fine, _) = ball();
        assert_eq!((fine.first_missing(points.len()), fine.first_bad_corner()), (None, None));
        assert!(fine.all_of(|_| true).iter().all(|all| *all) && !fine.all_of(|_| false).contains(&true));
        assert!(fine.first_missing(3).is_some());
        fine.triangles.push([0, 1, 9999]);
        assert_eq!(fine.first_bad_corner(), Some(9999));
    }
}
