//! Makes the boundary of tetrahedra a manifold, by leaving some out.
//!
//! Where a body is thinner than the lattice can show, tetrahedra may hang together by a single edge or point, which no material does and no
//! contact can handle. Of the groups that meet there the largest stays. That is never needed where the lattice resolves the surface.

use super::quality::volume_of;
use glam::DVec3;

/// Largest number of rounds. Each one makes the body smaller; that many have been enough for every noise in the tests.
const ROUNDS: usize = 30;

/// Leaves tetrahedra out until every edge of the boundary has two faces and the faces at every vertex make one fan; returns how many went.
/// `exposed` marks the points that can be on the boundary.
pub(super) fn make_manifold(points: &[DVec3], tets: &mut Vec<[u32; 4]>, exposed: &mut [bool]) -> usize {
    let before = tets.len();
    for _ in 0..ROUNDS {
        let faces = boundary_faces(tets, exposed);
        let mut hubs = bad_edges(&faces);
        if hubs.is_empty() {
            hubs = bad_vertices(&faces);
        }
        if hubs.is_empty() {
            break;
        }
        let mut leaves = vec![false; tets.len()];
        for (hub, star) in stars(&hubs, tets, points.len()) {
            for tet in all_but_the_largest(hub, &star, tets, points) {
                leaves[tet as usize] = true;
                tets[tet as usize].iter().for_each(|&c| exposed[c as usize] = true);
            }
        }
        let mut leaves = leaves.into_iter();
        tets.retain(|_| leaves.next() == Some(false));
    }
    before - tets.len()
}

/// An edge, or a vertex twice.
type Hub = [u32; 2];

/// The faces with one tetrahedron, outward.
fn boundary_faces(tets: &[[u32; 4]], exposed: &[bool]) -> Vec<[u32; 3]> {
    let mut faces = Vec::new();
    for &[a, b, c, d] in tets {
        for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
            if face.iter().all(|&v| exposed[v as usize]) {
                let mut key = face;
                key.sort_unstable();
                faces.push((key, face));
            }
        }
    }
    faces.sort_unstable();
    faces.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() == 1).map(|group| group[0].1).collect()
}

/// The edges with another number of faces than two.
fn bad_edges(faces: &[[u32; 3]]) -> Vec<Hub> {
    let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]);
    let mut edges: Vec<Hub> = faces.iter().flat_map(sides).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).filter(|group| group.len() != 2).map(|group| group[0]).collect()
}

/// The vertices with faces that form more than one fan. Every edge must have two faces that face the same way.
fn bad_vertices(faces: &[[u32; 3]]) -> Vec<Hub> {
    // Around each vertex, from which neighbour each face leads to which.
    let mut steps: Vec<[u32; 3]> = faces.iter().flat_map(|&[a, b, c]| [[a, b, c], [b, c, a], [c, a, b]]).collect();
    steps.sort_unstable();
    let has_more = |fan: &&[[u32; 3]]| {
        let (first, mut at, mut length) = (fan[0][1], fan[0][2], 1);
        while at != first && length < fan.len() {
            match fan.binary_search_by_key(&at, |step| step[1]) {
                Ok(next) => at = fan[next][2],
                Err(_) => return true,
            }
            length += 1;
        }
        at != first || length != fan.len()
    };
    steps.chunk_by(|a, b| a[0] == b[0]).filter(has_more).map(|fan| [fan[0][0]; 2]).collect()
}

/// The tetrahedra at each hub.
fn stars(hubs: &[Hub], tets: &[[u32; 4]], vertices: usize) -> Vec<(Hub, Vec<u32>)> {
    // Hubs are sorted: those that begin with a vertex follow each other.
    let mut begins = vec![false; vertices];
    hubs.iter().for_each(|hub| begins[hub[0] as usize] = true);
    let mut stars: Vec<(Hub, Vec<u32>)> = hubs.iter().map(|&hub| (hub, Vec::new())).collect();
    for (number, tet) in (0..).zip(tets) {
        for &corner in tet.iter().filter(|c| begins[**c as usize]) {
            let first = hubs.partition_point(|hub| hub[0] < corner);
            for (hub, star) in stars[first..].iter_mut().take_while(|(hub, _)| hub[0] == corner) {
                if tet.contains(&hub[1]) {
                    star.push(number);
                }
            }
        }
    }
    stars
}

/// The members of a star that are not in the largest of its groups; all, if it is one group that bends back to its hub. Groups are
/// joined by faces with the hub.
fn all_but_the_largest(hub: Hub, star: &[u32], tets: &[[u32; 4]], points: &[DVec3]) -> Vec<u32> {
    let joined = |a: u32, b: u32| {
        let common = tets[a as usize].iter().filter(|c| tets[b as usize].contains(c)).count();
        common == 3 // the hub is in both, so it is in their intersection
    };
    let mut group = vec![usize::MAX; star.len()];
    let mut volumes = Vec::new();
    for first in 0..star.len() {
        if group[first] != usize::MAX {
            continue;
        }
        let number = volumes.len();
        volumes.push(0.0);
        group[first] = number;
        let mut open = vec![first];
        while let Some(member) = open.pop() {
            volumes[number] += volume_of(tets[star[member] as usize].map(|c| points[c as usize]));
            for other in 0..star.len() {
                if group[other] == usize::MAX && joined(star[member], star[other]) {
                    group[other] = number;
                    open.push(other);
                }
            }
        }
    }
    let largest = (0..volumes.len()).fold(0, |best, g| if volumes[g] > volumes[best] { g } else { best });
    let bends_back = volumes.len() == 1 && hub[0] == hub[1];
    (0..star.len()).filter(|&member| bends_back || group[member] != largest).map(|member| star[member]).collect()
}
