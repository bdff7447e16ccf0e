//! The one module of the crate `serde_with` that generated clients use: Debian 12 does not have the crate.
pub mod rust {
    /// Tells a field that is missing (`None`) from one that is null (`Some(None)`).
    pub mod double_option {
        use serde::{Deserialize, Deserializer, Serialize, Serializer};

        pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
            deserializer: D,
        ) -> Result<Option<Option<T>>, D::Error> {
            Option::deserialize(deserializer).map(Some)
        }

        pub fn serialize<T: Serialize, S: Serializer>(
            value: &Option<Option<T>>,
            serializer: S,
        ) -> Result<S::Ok, S::Error> {
            value.as_ref().and_then(Option::as_ref).serialize(serializer)
        }
    }
}
