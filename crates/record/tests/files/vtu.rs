//! VTU files, taken apart by their own offsets.

use crate::common;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use common::*;
use glam::DVec3;
use pliant_core::{Body, Fields, State, System};
use pliant_record::{RecordError, VtuWriter, write_vtu};

/// The XML before the arrays, and every appended array with its type and components.
struct Vtu {
    xml: String,
    arrays: HashMap<String, (String, usize, Vec<u8>)>,
}

impl Vtu {
    fn read(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        let mark = b"<AppendedData encoding=\"raw\">\n_";
        let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
        let end = bytes.len() - "\n  </AppendedData>\n</VTKFile>\n".len();
        assert_eq!(&bytes[end..], b"\n  </AppendedData>\n</VTKFile>\n");
        let (xml, data) = (String::from_utf8(bytes[..start].to_vec()).unwrap(), &bytes[start..end]);
        let mut arrays = HashMap::new();
        let mut blocks = Vec::new();
        for line in xml.lines().filter(|line| line.contains("format=\"appended\"")) {
            let offset: usize = attribute(line, "offset").parse().unwrap();
            let len = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap()) as usize;
            let components = if line.contains("NumberOfComponents=\"3\"") { 3 } else { 1 };
            blocks.push(offset..offset + 8 + len);
            let array = data[offset + 8..offset + 8 + len].to_vec();
            arrays.insert(attribute(line, "Name"), (attribute(line, "type"), components, array));
        }
        // The blocks lie side by side and fill the section.
        blocks.sort_by_key(|block| block.start);
        assert_eq!((blocks[0].start, blocks.last().unwrap().end), (0, data.len()));
        assert!(blocks.windows(2).all(|pair| pair[0].end == pair[1].start));
        Self { xml, arrays }
    }

    fn array<T, const N: usize>(&self, name: &str, kind: &str, components: usize, from: fn([u8; N]) -> T) -> Vec<T> {
        let (found, parts, bytes) = &self.arrays[name];
        assert_eq!((found.as_str(), *parts), (kind, components), "{name}");
        assert_eq!(bytes.len() % N, 0);
        bytes.chunks(N).map(|chunk| from(chunk.try_into().unwrap())).collect()
    }

    fn vectors(&self, name: &str) -> Vec<DVec3> {
        self.array(name, "Float64", 3, f64::from_le_bytes).chunks(3).map(DVec3::from_slice).collect()
    }
}

fn attribute(line: &str, name: &str) -> String {
    let rest = line.split_once(&format!(" {name}=\"")).unwrap().1;
    rest.split_once('"').unwrap().0.to_string()
}

#[test]
fn a_frame_holds_points_cells_and_data() {
    let folder = folder("vtu");
    let (path, system) = (folder.join("frame_0000.vtu"), system());
    let writer = VtuWriter::new(&system);
    for time in [0.1, 1.0 / 3.0] {
        let mut state = state(7, time);
        state.v[2].x = f64::from_bits(0x7ff8_0000_0000_0001);
        writer.write(&path, &state, &Fields::default()).unwrap();
        let vtu = Vtu::read(&path);
        assert_eq!(bits(&vtu.vectors("Points")), bits(&state.x));
        assert_eq!(bits(&vtu.vectors("velocity")), bits(&state.v));
        assert_eq!(vtu.array("id", "Int64", 1, i64::from_le_bytes), (0..7).collect::<Vec<_>>());
        assert_eq!(vtu.array("body", "Int32", 1, i32::from_le_bytes), [0, 0, 0, -1, 1, 1, 2]);
        assert_eq!(vtu.array("pinned", "UInt8", 1, u8::from_le_bytes), [0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(vtu.array("mass", "Float64", 1, f64::from_le_bytes), system.masses());
        let connectivity = vtu.array("connectivity", "Int64", 1, i64::from_le_bytes);
        assert_eq!(connectivity, [0, 1, 1, 2, 2, 0, 5, 4, 3, 6]);
        assert_eq!(vtu.array("offsets", "Int64", 1, i64::from_le_bytes), [2, 4, 6, 8, 9, 10]);
        assert_eq!(vtu.array("types", "UInt8", 1, u8::from_le_bytes), [3, 3, 3, 3, 1, 1]);
        assert!(vtu.xml.contains("<Piece NumberOfPoints=\"7\" NumberOfCells=\"6\">"));
        assert!(vtu.xml.contains("byte_order=\"LittleEndian\" header_type=\"UInt64\""));
        let line = vtu.xml.lines().find(|line| line.contains("TimeValue")).unwrap();
        let text = line.split_once('>').unwrap().1.split_once('<').unwrap().0;
        assert_eq!(text.parse::<f64>().unwrap().to_bits(), time.to_bits());

        // The short form writes the same bytes.
        write_vtu(&folder.join("other.vtu"), &system, &state).unwrap();
        assert_eq!(fs::read(&path).unwrap(), fs::read(folder.join("other.vtu")).unwrap());
    }
    assert_eq!(names(&folder), ["frame_0000.vtu", "other.vtu"]);
}

#[test]
fn fields_are_arrays_of_points() {
    let (path, state) = (folder("vtu-fields").join("frame.vtu"), state(7, 0.1));
    let mut fields = Fields::default();
    fields.begin(7);
    fields.field(Fields::DENSITY)[4] = 1000.1;
    fields.field(Fields::PRESSURE)[6] = -0.3;
    VtuWriter::new(&system()).write(&path, &state, &fields).unwrap();
    let vtu = Vtu::read(&path);
    for (name, at, value) in [("density", 4, 1000.1), ("pressure", 6, -0.3)] {
        let mut expected = [0.0; 7];
        expected[at] = value;
        assert_eq!(vtu.array(name, "Float64", 1, f64::from_le_bytes), expected);
        let data = vtu.xml.split_once("<PointData").unwrap().1.split_once("</PointData>").unwrap().0;
        assert!(data.contains(&format!("Name=\"{name}\"")), "{data}");
    }
    assert_eq!(bits(&vtu.vectors("Points")), bits(&state.x));
    assert_eq!(pliant_record::read_vtu(&path).unwrap().fields, fields);
}

#[test]
fn an_empty_system_has_an_empty_frame() {
    let path = folder("vtu-empty").join("empty.vtu");
    let system = System::new(vec![], vec![], vec![], vec![]).unwrap();
    write_vtu(&path, &system, &State::default()).unwrap();
    let vtu = Vtu::read(&path);
    assert!(vtu.arrays.values().all(|(_, _, bytes)| bytes.is_empty()));
    assert_eq!(vtu.arrays.len(), 9);
}

#[test]
fn what_does_not_fit_is_refused_and_the_old_frame_stays() {
    let folder = folder("vtu-refused");
    let path = folder.join("frame.vtu");
    let good = system();
    write_vtu(&path, &good, &state(7, 0.0)).unwrap();
    let old = fs::read(&path).unwrap();

    let error = write_vtu(&path, &good, &state(6, 0.0)).unwrap_err();
    assert!(error.to_string().ends_with("frame.vtu: 6 particles, but there must be 7"), "{error}");
    let mut uneven = state(7, 0.0);
    uneven.v.pop();
    let error = write_vtu(&path, &good, &uneven).unwrap_err();
    assert!(matches!(error, RecordError::Shape { what: "velocities", found: 6, expected: 7, .. }));

    // A body that reaches beyond the particles is cut; an edge that does cannot be drawn.
    let body = Body { name: "net".into(), particles: 1..9, edges: vec![[0, 1], [1, 2]], ..Body::default() };
    let system = System::new(vec![1.0; 2], vec![], vec![], vec![body]).unwrap();
    let error = write_vtu(&path, &system, &state(2, 0.0)).unwrap_err();
    assert!(error.to_string().ends_with("an edge of body \"net\" names particle 2, but there are only 2"), "{error}");
    assert_eq!((fs::read(&path).unwrap(), names(&folder)), (old, vec!["frame.vtu".to_string()]));
}
