//! Numbers that a mesh file holds for every vertex besides its position. All types fit into `f64` without loss.

/// Types of numbers that PLY knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberKind {
    /// `char`
    I8,
    /// `uchar`
    U8,
    /// `short`
    I16,
    /// `ushort`
    U16,
    /// `int`
    I32,
    /// `uint`
    U32,
    /// `float`
    F32,
    /// `double`
    F64,
}

impl NumberKind {
    /// By either of its names in PLY.
    pub fn parse(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Its name in PLY.
    pub fn name(self) -> &'static str {
        match self {
            Self::I8 => "char",
            Self::U8 => "uchar",
            Self::I16 => "short",
            Self::U16 => "ushort",
            Self::I32 => "int",
            Self::U32 => "uint",
            Self::F32 => "float",
            Self::F64 => "double",
        }
    }

    /// Its size.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The value as this type holds it; `None` where it is no whole number, or too large, for a type of whole numbers.
    pub fn fit(self, value: f64) -> Option<f64> {
        let (low, high) = match self {
            Self::F64 => return Some(value),
            Self::F32 => return Some(f64::from(value as f32)),
            Self::I8 => (f64::from(i8::MIN), f64::from(i8::MAX)),
            Self::U8 => (0.0, f64::from(u8::MAX)),
            Self::I16 => (f64::from(i16::MIN), f64::from(i16::MAX)),
            Self::U16 => (0.0, f64::from(u16::MAX)),
            Self::I32 => (f64::from(i32::MIN), f64::from(i32::MAX)),
            Self::U32 => (0.0, f64::from(u32::MAX)),
        };
        (value.fract() == 0.0 && (low..=high).contains(&value)).then_some(value)
    }

    /// Appends a value that fits, little endian.
    pub fn put(self, value: f64, out: &mut Vec<u8>) {
        match self {
            Self::I8 => out.extend((value as i8).to_le_bytes()),
            Self::U8 => out.extend((value as u8).to_le_bytes()),
            Self::I16 => out.extend((value as i16).to_le_bytes()),
            Self::U16 => out.extend((value as u16).to_le_bytes()),
            Self::I32 => out.extend((value as i32).to_le_bytes()),
            Self::U32 => out.extend((value as u32).to_le_bytes()),
            Self::F32 => out.extend((value as f32).to_le_bytes()),
            Self::F64 => out.extend(value.to_le_bytes()),
        }
    }
}

/// One number for every vertex of a mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// As in the file: `vx`, `red`, …
    pub name: String,
    /// Its type in the file.
    pub kind: NumberKind,
    /// In the order of the points.
    pub values: Vec<f64>,
}

impl Attribute {
    /// Of values that fit.
    pub fn new(name: &str, kind: NumberKind, values: Vec<f64>) -> Self {
        Self { name: name.into(), kind, values }
    }
}
