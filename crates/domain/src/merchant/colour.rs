//! Colours of payment pages, and the contrast of text on them (WCAG 2.2).

use crate::fault::Flaw;
use std::fmt;

/// A colour in the sRGB colour space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Colour([u8; 3]);

impl Colour {
    /// White: the colour of text on the primary colour, and the default background.
    pub const WHITE: Self = Self([0xff, 0xff, 0xff]);
    /// The colour of text on the background.
    pub const TEXT: Self = Self([0x0b, 0x0c, 0x0c]);
    /// The default primary colour.
    pub const PRIMARY: Self = Self([0x1d, 0x70, 0xb8]);

    /// Parses the form `#rrggbb`, in either case.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let wrong = || Flaw::format("must be a colour in the form #rrggbb, such as #1d70b8");
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6).ok_or_else(wrong)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(wrong());
        }
        let number = u32::from_str_radix(digits, 16).map_err(|_| wrong())?;
        let [_, red, green, blue] = number.to_be_bytes();
        Ok(Self([red, green, blue]))
    }

    /// Parses a primary colour. White text on it must be readable.
    pub fn parse_primary(text: &str) -> Result<Self, Flaw> {
        let message = "must have a contrast of at least 4.5 to the white text on it";
        Self::parse(text)?.readable(Self::WHITE, message)
    }

    /// Parses a background colour. The text on it must be readable.
    pub fn parse_background(text: &str) -> Result<Self, Flaw> {
        let message = "must have a contrast of at least 4.5 to the text on it, which is #0b0c0c";
        Self::parse(text)?.readable(Self::TEXT, message)
    }

    fn readable(self, text: Self, message: &'static str) -> Result<Self, Flaw> {
        if text.is_readable_on(self) { Ok(self) } else { Err(Flaw::value(message)) }
    }

    /// Returns whether text in one of the two colours is readable on the other: they have a contrast ratio of at least
    /// 4.5.
    ///
    /// ```
    /// use florin_domain::merchant::Colour;
    ///
    /// assert!(Colour::WHITE.is_readable_on(Colour::PRIMARY));
    /// assert!(!Colour::WHITE.is_readable_on(Colour::parse("#ffff00").unwrap()));
    /// ```
    pub fn is_readable_on(self, other: Self) -> bool {
        let (one, two) = (self.luminance(), other.luminance());
        // The ratio is (lighter + 0.05) / (darker + 0.05).
        let flare = WHITE_LUMINANCE / 20;
        2 * (one.max(two) + flare) >= 9 * (one.min(two) + flare)
    }

    /// Returns the relative luminance, from 0 to [`WHITE_LUMINANCE`].
    fn luminance(self) -> u64 {
        let channels = self.0.iter().zip([2_126, 7_152, 722]);
        channels.map(|(channel, weight)| weight * u64::from(LINEAR[usize::from(*channel)])).sum()
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

/// The luminance of white.
const WHITE_LUMINANCE: u64 = 10_000 * 10_000_000;

/// The linear light for each value of a channel, in ten-millionths.
const LINEAR: [u32; 256] = [
    0, 3_035, 6_071, 9_106, 12_141, 15_176, 18_212, 21_247, 24_282, 27_317, 30_353, 33_465, 36_765, 40_247, 43_914,
    47_770, 51_815, 56_054, 60_488, 65_121, 69_954, 74_990, 80_232, 85_681, 91_341, 97_212, 103_298, 109_601, 116_122,
    122_865, 129_830, 137_021, 144_438, 152_085, 159_963, 168_074, 176_420, 185_002, 193_824, 202_886, 212_190,
    221_739, 231_534, 241_576, 251_869, 262_412, 273_209, 284_260, 295_568, 307_134, 318_960, 331_048, 343_398,
    356_013, 368_895, 382_044, 395_462, 409_152, 423_114, 437_350, 451_862, 466_651, 481_718, 497_066, 512_695,
    528_606, 544_803, 561_285, 578_054, 595_112, 612_461, 630_100, 648_033, 666_259, 684_782, 703_601, 722_719,
    742_136, 761_854, 781_874, 802_198, 822_827, 843_762, 865_005, 886_556, 908_417, 930_590, 953_075, 975_873,
    998_987, 1_022_417, 1_046_165, 1_070_231, 1_094_617, 1_119_324, 1_144_354, 1_169_707, 1_195_384, 1_221_388,
    1_247_718, 1_274_377, 1_301_365, 1_328_683, 1_356_333, 1_384_316, 1_412_633, 1_441_285, 1_470_273, 1_499_598,
    1_529_262, 1_559_265, 1_589_608, 1_620_294, 1_651_322, 1_682_694, 1_714_411, 1_746_474, 1_778_884, 1_811_642,
    1_844_750, 1_878_208, 1_912_017, 1_946_178, 1_980_693, 2_015_563, 2_050_787, 2_086_369, 2_122_308, 2_158_605,
    2_195_262, 2_232_280, 2_269_659, 2_307_400, 2_345_506, 2_383_976, 2_422_811, 2_462_013, 2_501_583, 2_541_521,
    2_581_829, 2_622_507, 2_663_556, 2_704_978, 2_746_773, 2_788_943, 2_831_487, 2_874_408, 2_917_706, 2_961_383,
    3_005_438, 3_049_873, 3_094_689, 3_139_887, 3_185_468, 3_231_432, 3_277_781, 3_324_515, 3_371_636, 3_419_144,
    3_467_041, 3_515_326, 3_564_001, 3_613_068, 3_662_526, 3_712_377, 3_762_621, 3_813_260, 3_864_294, 3_915_725,
    3_967_552, 4_019_778, 4_072_402, 4_125_426, 4_178_851, 4_232_677, 4_286_905, 4_341_536, 4_396_572, 4_452_012,
    4_507_858, 4_564_110, 4_620_770, 4_677_838, 4_735_315, 4_793_202, 4_851_499, 4_910_208, 4_969_330, 5_028_865,
    5_088_813, 5_149_177, 5_209_956, 5_271_151, 5_332_764, 5_394_795, 5_457_245, 5_520_114, 5_583_404, 5_647_115,
    5_711_248, 5_775_804, 5_840_784, 5_906_188, 5_972_018, 6_038_273, 6_104_956, 6_172_066, 6_239_604, 6_307_571,
    6_375_969, 6_444_797, 6_514_056, 6_583_748, 6_653_873, 6_724_432, 6_795_425, 6_866_853, 6_938_718, 7_011_019,
    7_083_758, 7_156_935, 7_230_551, 7_304_607, 7_379_104, 7_454_042, 7_529_422, 7_605_245, 7_681_511, 7_758_222,
    7_835_378, 7_912_979, 7_991_027, 8_069_523, 8_148_466, 8_227_858, 8_307_699, 8_387_990, 8_468_732, 8_549_926,
    8_631_572, 8_713_671, 8_796_224, 8_879_231, 8_962_694, 9_046_612, 9_130_987, 9_215_819, 9_301_109, 9_386_857,
    9_473_065, 9_559_734, 9_646_862, 9_734_453, 9_822_506, 9_911_021, 10_000_000,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FlawCode;

    fn colour(text: &str) -> Colour {
        Colour::parse(text).unwrap()
    }

    #[test]
    fn a_colour_has_six_hexadecimal_digits_and_is_shown_in_lower_case() {
        assert_eq!(colour("#A0b1C2").to_string(), "#a0b1c2");
        for wrong in ["", "#", "a0b1c2", "#a0b1c", "#a0b1c22", "#+0b1c2", "#g0b1c2", "#a0b1c\u{e9}", "red", "#fff"] {
            assert_eq!(Colour::parse(wrong).unwrap_err().code, FlawCode::InvalidFormat, "{wrong}");
        }
    }

    /// The greys on both sides of the limit: #767676 has a ratio of 4.54 to white, #777777 has 4.48.
    #[test]
    fn readable_colours_have_a_contrast_of_at_least_4_5() {
        for (one, other, readable) in [
            ("#ffffff", "#767676", true),
            ("#ffffff", "#777777", false),
            ("#ffffff", "#000000", true),
            ("#ffffff", "#ffffff", false),
            ("#0b0c0c", "#ffffff", true),
            ("#0b0c0c", "#7d7d7d", true),
            ("#0b0c0c", "#787878", false),
            ("#ffffff", "#1d70b8", true),
        ] {
            assert_eq!(colour(one).is_readable_on(colour(other)), readable, "{one} on {other}");
            assert_eq!(colour(other).is_readable_on(colour(one)), readable, "{other} on {one}");
        }
    }

    #[test]
    fn text_on_branding_is_readable() {
        assert!(Colour::parse_primary("#1d70b8").is_ok() && Colour::parse_background("#ffffff").is_ok());
        for refused in [Colour::parse_primary("#ffffff"), Colour::parse_background("#1d1d1d")] {
            assert_eq!(refused.unwrap_err().code, FlawCode::InvalidValue);
        }
    }
}
