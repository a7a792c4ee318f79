"""One table of real cards, with the figures of their data sheets.

Columns: name as the driver reports it; aliases, the first being the usual one; architecture; memory
in GiB; memory bandwidth in GB/s; peak rates in Tera-operations per second, dense, for fp32, tf32,
fp16, bf16 and int8 (0 = no such unit; fp16 and int8 with tensor or matrix units where the card has
them; fp16 with the faster accumulation, bf16 with that in fp32); CUDA compute capability (0 = none); multiprocessors (compute units, cores); the bus to the
host; the link between cards and its GB/s, both directions together; a key of `SOURCES`.
"""

from __future__ import annotations

import re

from placewise.core.namespace import nearest
from placewise.devices.facts import GIB, Model

# The bandwidth of a bus, one direction, in GB/s.
BUSES = {
    "PCIe 2.0 x16": 8.0,
    "PCIe 3.0 x16": 15.75,
    "PCIe 4.0 x8": 15.75,
    "PCIe 4.0 x16": 31.5,
    "PCIe 5.0 x8": 31.5,
    "PCIe 5.0 x16": 63.0,
    "NVLink-C2C": 450.0,
    "Infinity Fabric": 256.0,
    "unified": 0.0,
}
DEFAULT_MODEL = "V100"

# The document that states a row's figures: look there to check one. Rates with sparsity are halved.
SOURCES = {
    "GK110": "NVIDIA Kepler GK110 white paper and product pages",
    "K10": "NVIDIA Tesla K10 board specification, one of its two GPUs",
    "K20": "NVIDIA Tesla K20 and K20X board specifications",
    "K40": "NVIDIA Tesla K40 board specification BD-06902-001 (rate at the base clock)",
    "K80": "NVIDIA Tesla K80 board specification BD-07317-001, one of its two GPUs (rate at the boost clock)",
    "M": "NVIDIA Tesla M40 and M60 product briefs",
    "GM200": "NVIDIA GeForce GTX 900 series product pages",
    "P4": "NVIDIA Tesla P4 and P40 data sheets, 2016",
    "P100": "NVIDIA Tesla P100 white paper WP-08019-001 and data sheet",
    "GP10x": "NVIDIA GeForce GTX 1080 white paper and product pages of the GTX 10 series",
    "QuadroP": "NVIDIA Quadro data sheets of the Pascal generation",
    "V100": "NVIDIA Tesla V100 white paper WP-08608-001 and data sheet",
    "T4": "NVIDIA T4 data sheet and Turing white paper WP-09183-001",
    "TU10x": "NVIDIA Turing white paper WP-09183-001",
    "A100": "NVIDIA A100 data sheet and Ampere white paper",
    "A30": "NVIDIA A30, A40, A10 and A2 data sheets",
    "A10G": "Amazon EC2 G5 instances, hardware specifications",
    "RTXA": "NVIDIA RTX A4000, A5000 and A6000 data sheets",
    "GA10x": "NVIDIA Ampere GA102 white paper; rates with sums in fp16, and in fp32 for bf16",
    "L": "NVIDIA L4, L40 and L40S data sheets (halves of the figures with sparsity)",
    "RTXAda": "NVIDIA RTX 4000 and 6000 Ada data sheets (halves of the figures with sparsity)",
    "AD10x": "NVIDIA Ada white paper; rates with sums in fp16, and in fp32 for bf16",
    "H100": "NVIDIA H100 data sheet and Hopper white paper (halves of the figures with sparsity)",
    "H200": "NVIDIA H200 data sheet (halves of the figures with sparsity)",
    "B200": "NVIDIA HGX B200, HGX B300 and GB200 NVL72 data sheets (halves of the figures with sparsity)",
    "GB20x": "NVIDIA RTX Blackwell white paper; rates with sums in fp16, and in fp32 for bf16",
    "MI25": "AMD Radeon Instinct MI25 and MI50 data sheets",
    "MI100": "AMD CDNA white paper and Instinct MI100 data sheet",
    "MI200": "AMD CDNA 2 white paper; of the MI250X one of its two dies",
    "MI300": "AMD CDNA 3 white paper and Instinct MI300A, MI300X and MI325X data sheets",
    "MI350": "AMD CDNA 4 white paper and Instinct MI355X data sheet",
    "RDNA3": "AMD Radeon RX 7900 XTX product page",
    "Apple": "Apple's announcements (memory, bandwidth, cores); rates from cores and clocks",
    "Flex": "Intel ARK, Data Center GPU Flex 170",
    "Max": "Intel ARK and technical overview 766085 of the Data Center GPU Max series",
    "Arc": "Intel ARK, Arc A770 and B580",
}

_P2, _P3, _P4, _P5 = (f"PCIe {generation}.0 x16" for generation in (2, 3, 4, 5))
_P4X8, _P5X8 = "PCIe 4.0 x8", "PCIe 5.0 x8"
_C2C, _UNI = "NVLink-C2C", "unified"

# fmt: off
# ruff: noqa: E501 - a table reads best with one row a line
_NVIDIA = [
  # name                                                aliases                                    arch          GiB  GB/s   fp32   tf32    fp16    bf16    int8    cc  SMs bus    link                 GB/s  source
  ("Tesla K10.G1.8GB",                                  "K10",                                     "Kepler",      4,  160,  2.29,     0,      0,      0,      0,  3.0,   8, _P3,   "",                    0, "K10"),
  ("Tesla K20m",                                        "K20m K20",                                "Kepler",      5,  208,  3.52,     0,      0,      0,      0,  3.5,  13, _P2,   "",                    0, "K20"),
  ("Tesla K20c",                                        "K20c",                                    "Kepler",      5,  208,  3.52,     0,      0,      0,      0,  3.5,  13, _P2,   "",                    0, "K20"),
  ("Tesla K20Xm",                                       "K20Xm K20X",                              "Kepler",      6,  250,  3.95,     0,      0,      0,      0,  3.5,  14, _P2,   "",                    0, "K20"),
  ("Tesla K40c",                                        "K40c K40",                                "Kepler",     12,  288,  4.29,     0,      0,      0,      0,  3.5,  15, _P3,   "",                    0, "K40"),
  ("Tesla K40m",                                        "K40m",                                    "Kepler",     12,  288,  4.29,     0,      0,      0,      0,  3.5,  15, _P3,   "",                    0, "K40"),
  ("Tesla K80",                                         "K80",                                     "Kepler",     12,  240,  4.37,     0,      0,      0,      0,  3.7,  13, _P3,   "",                    0, "K80"),
  ("GeForce GTX TITAN Black",                           "TITAN-Black GTXTITANBlack",               "Kepler",      6,  336,  5.12,     0,      0,      0,      0,  3.5,  15, _P3,   "",                    0, "GK110"),
  ("Tesla M40",                                         "M40",                                     "Maxwell",    12,  288,  6.84,     0,      0,      0,      0,  5.2,  24, _P3,   "",                    0, "M"),
  ("Tesla M40 24GB",                                    "M40-24GB",                                "Maxwell",    24,  288,  6.84,     0,      0,      0,      0,  5.2,  24, _P3,   "",                    0, "M"),
  ("Tesla M60",                                         "M60",                                     "Maxwell",     8,  160,  4.82,     0,      0,      0,      0,  5.2,  16, _P3,   "",                    0, "M"),
  ("NVIDIA GeForce GTX 980 Ti",                         "GTX980Ti 980Ti",                          "Maxwell",     6,  336,  5.63,     0,      0,      0,      0,  5.2,  22, _P3,   "",                    0, "GM200"),
  ("NVIDIA GeForce GTX TITAN X",                        "GTXTITANX TITAN-X-Maxwell",               "Maxwell",    12,  336,  6.14,     0,      0,      0,      0,  5.2,  24, _P3,   "",                    0, "GM200"),
  ("Tesla P4",                                          "P4",                                      "Pascal",      8,  192,   5.5,     0,   0.09,      0,     22,  6.1,  20, _P3,   "",                    0, "P4"),
  ("Tesla P40",                                         "P40",                                     "Pascal",     24,  346, 11.76,     0,   0.18,      0,     47,  6.1,  30, _P3,   "",                    0, "P4"),
  ("Tesla P100-PCIE-12GB",                              "P100-PCIE-12GB P100-12GB",                "Pascal",     12,  549,   9.3,     0,   18.7,      0,      0,  6.0,  56, _P3,   "",                    0, "P100"),
  ("Tesla P100-PCIE-16GB",                              "P100-PCIE P100-PCIE-16GB P100",           "Pascal",     16,  732,   9.3,     0,   18.7,      0,      0,  6.0,  56, _P3,   "",                    0, "P100"),
  ("Tesla P100-SXM2-16GB",                              "P100-SXM2 P100-SXM2-16GB",                "Pascal",     16,  732,  10.6,     0,   21.2,      0,      0,  6.0,  56, _P3,   "NVLink 1",          160, "P100"),
  ("NVIDIA GeForce GTX 1060 6GB",                       "GTX1060 1060",                            "Pascal",      6,  192,  4.37,     0,   0.07,      0,   17.5,  6.1,  10, _P3,   "",                    0, "GP10x"),
  ("NVIDIA GeForce GTX 1070",                           "GTX1070 1070",                            "Pascal",      8,  256,  6.46,     0,   0.10,      0,   25.8,  6.1,  15, _P3,   "",                    0, "GP10x"),
  ("NVIDIA GeForce GTX 1080",                           "GTX1080 1080",                            "Pascal",      8,  320,  8.87,     0,   0.14,      0,   35.5,  6.1,  20, _P3,   "",                    0, "GP10x"),
  ("NVIDIA GeForce GTX 1080 Ti",                        "GTX1080Ti 1080Ti",                        "Pascal",     11,  484, 11.34,     0,   0.18,      0,   45.4,  6.1,  28, _P3,   "",                    0, "GP10x"),
  ("NVIDIA TITAN Xp",                                   "TITANXp",                                 "Pascal",     12,  548, 12.15,     0,   0.19,      0,   48.6,  6.1,  30, _P3,   "",                    0, "GP10x"),
  ("Quadro P4000",                                      "P4000",                                   "Pascal",      8,  243,   5.3,     0,   0.08,      0,   21.2,  6.1,  14, _P3,   "",                    0, "QuadroP"),
  ("Quadro P6000",                                      "P6000",                                   "Pascal",     24,  432,  12.6,     0,    0.2,      0,   50.5,  6.1,  30, _P3,   "",                    0, "QuadroP"),
  ("Tesla V100-PCIE-16GB",                              "V100-PCIE V100-PCIE-16GB",                "Volta",      16,  900,  14.0,     0,    112,      0,     56,  7.0,  80, _P3,   "",                    0, "V100"),
  ("Tesla V100-PCIE-32GB",                              "V100-PCIE-32GB",                          "Volta",      32,  900,  14.0,     0,    112,      0,     56,  7.0,  80, _P3,   "",                    0, "V100"),
  ("Tesla V100-SXM2-16GB",                              "V100 V100-SXM2 V100-SXM2-16GB V100-16GB", "Volta",      16,  900,  15.7,     0,    125,      0,   62.8,  7.0,  80, _P3,   "NVLink 2",          300, "V100"),
  ("Tesla V100-SXM2-32GB",                              "V100-32GB V100-SXM2-32GB",                "Volta",      32,  900,  15.7,     0,    125,      0,   62.8,  7.0,  80, _P3,   "NVLink 2",          300, "V100"),
  ("Tesla V100-SXM3-32GB",                              "V100-SXM3 V100-SXM3-32GB",                "Volta",      32,  981,  16.4,     0,    131,      0,   65.5,  7.0,  80, _P3,   "NVLink 2",          300, "V100"),
  ("NVIDIA TITAN V",                                    "TITANV",                                  "Volta",      12,  653,  14.9,     0,    110,      0,   59.6,  7.0,  80, _P3,   "",                    0, "V100"),
  ("Tesla T4",                                          "T4",                                      "Turing",     16,  320,   8.1,     0,     65,      0,    130,  7.5,  40, _P3,   "",                    0, "T4"),
  ("NVIDIA GeForce RTX 2070",                           "RTX2070 2070",                            "Turing",      8,  448,  7.46,     0,   59.7,      0,    119,  7.5,  36, _P3,   "",                    0, "TU10x"),
  ("NVIDIA GeForce RTX 2080 Ti",                        "RTX2080Ti 2080Ti",                        "Turing",     11,  616, 13.45,     0,  107.6,      0,  215.2,  7.5,  68, _P3,   "NVLink 2",          100, "TU10x"),
  ("NVIDIA TITAN RTX",                                  "TITANRTX",                                "Turing",     24,  672,  16.3,     0,  130.5,      0,    261,  7.5,  72, _P3,   "NVLink 2",          100, "TU10x"),
  ("Quadro RTX 6000",                                   "QuadroRTX6000",                           "Turing",     24,  672,  16.3,     0,  130.5,      0,    261,  7.5,  72, _P3,   "NVLink 2",          100, "TU10x"),
  ("Quadro RTX 8000",                                   "QuadroRTX8000 RTX8000",                   "Turing",     48,  672,  16.3,     0,  130.5,      0,    261,  7.5,  72, _P3,   "NVLink 2",          100, "TU10x"),
  ("NVIDIA GeForce GTX 1660 Ti",                        "GTX1660Ti 1660Ti",                        "Turing",      6,  288,  5.44,     0,   10.9,      0,   21.8,  7.5,  24, _P3,   "",                    0, "TU10x"),
  ("NVIDIA A100-SXM4-40GB",                             "A100 A100-40GB A100-SXM4 A100-SXM4-40GB", "Ampere",     40, 1555,  19.5,   156,    312,    312,    624,  8.0, 108, _P4,   "NVLink 3",          600, "A100"),
  ("NVIDIA A100-SXM4-80GB",                             "A100-80GB A100-SXM4-80GB",                "Ampere",     80, 2039,  19.5,   156,    312,    312,    624,  8.0, 108, _P4,   "NVLink 3",          600, "A100"),
  ("NVIDIA A100-PCIE-40GB",                             "A100-PCIE A100-PCIE-40GB",                "Ampere",     40, 1555,  19.5,   156,    312,    312,    624,  8.0, 108, _P4,   "NVLink 3",          600, "A100"),
  ("NVIDIA A100 80GB PCIe",                             "A100-PCIE-80GB A100-80GB-PCIE",           "Ampere",     80, 1935,  19.5,   156,    312,    312,    624,  8.0, 108, _P4,   "NVLink 3",          600, "A100"),
  ("NVIDIA A30",                                        "A30",                                     "Ampere",     24,  933,  10.3,    82,    165,    165,    330,  8.0,  56, _P4,   "NVLink 3",          200, "A30"),
  ("NVIDIA A40",                                        "A40",                                     "Ampere",     48,  696,  37.4,  74.8,  149.7,  149.7,  299.3,  8.6,  84, _P4,   "NVLink 3",        112.5, "A30"),
  ("NVIDIA A10",                                        "A10",                                     "Ampere",     24,  600,  31.2,  62.5,    125,    125,    250,  8.6,  72, _P4,   "",                    0, "A30"),
  ("NVIDIA A10G",                                       "A10G",                                    "Ampere",     24,  600,    35,    35,     70,     70,    140,  8.6,  80, _P4,   "",                    0, "A10G"),
  ("NVIDIA A2",                                         "A2",                                      "Ampere",     16,  200,   4.5,     9,     18,     18,     36,  8.6,  10, _P4X8, "",                    0, "A30"),
  ("NVIDIA RTX A4000",                                  "A4000 RTXA4000",                          "Ampere",     16,  448,  19.2,  38.3,   76.7,   76.7,  153.4,  8.6,  48, _P4,   "",                    0, "RTXA"),
  ("NVIDIA RTX A5000",                                  "A5000 RTXA5000",                          "Ampere",     24,  768,  27.8,  55.6,  111.1,  111.1,  222.2,  8.6,  64, _P4,   "NVLink 3",        112.5, "RTXA"),
  ("NVIDIA RTX A6000",                                  "A6000 RTXA6000",                          "Ampere",     48,  768,  38.7,  77.4,  154.8,  154.8,  309.7,  8.6,  84, _P4,   "NVLink 3",        112.5, "RTXA"),
  ("NVIDIA GeForce RTX 3060",                           "RTX3060 3060",                            "Ampere",     12,  360,  12.7,  12.7,   51.0,   25.5,    102,  8.6,  28, _P4,   "",                    0, "GA10x"),
  ("NVIDIA GeForce RTX 3070",                           "RTX3070 3070",                            "Ampere",      8,  448,  20.3,  20.3,   81.3,   40.6,  162.6,  8.6,  46, _P4,   "",                    0, "GA10x"),
  ("NVIDIA GeForce RTX 3080",                           "RTX3080 3080",                            "Ampere",     10,  760,  29.8,  29.8,    119,   59.5,    238,  8.6,  68, _P4,   "",                    0, "GA10x"),
  ("NVIDIA GeForce RTX 3090",                           "RTX3090 3090",                            "Ampere",     24,  936,  35.6,  35.6,    142,   71.0,    284,  8.6,  82, _P4,   "NVLink 3",        112.5, "GA10x"),
  ("NVIDIA L4",                                         "L4",                                      "Ada",        24,  300,  30.3,    60,    121,    121,    242,  8.9,  58, _P4,   "",                    0, "L"),
  ("NVIDIA L40",                                        "L40",                                     "Ada",        48,  864,  90.5,  90.5,    181,    181,    362,  8.9, 142, _P4,   "",                    0, "L"),
  ("NVIDIA L40S",                                       "L40S",                                    "Ada",        48,  864,  91.6,   183,    362,    362,    733,  8.9, 142, _P4,   "",                    0, "L"),
  ("NVIDIA RTX 4000 Ada Generation",                    "RTX4000Ada",                              "Ada",        20,  360,  26.7,    41,   81.9,   81.9,  163.8,  8.9,  48, _P4,   "",                    0, "RTXAda"),
  ("NVIDIA RTX 6000 Ada Generation",                    "RTX6000Ada",                              "Ada",        48,  960,  91.1,   182,    364,    364,    728,  8.9, 142, _P4,   "",                    0, "RTXAda"),
  ("NVIDIA GeForce RTX 4060",                           "RTX4060",                                 "Ada",         8,  272,  15.1,  15.1,     60,   30.0,    121,  8.9,  24, _P4X8, "",                    0, "AD10x"),
  ("NVIDIA GeForce RTX 4070",                           "RTX4070",                                 "Ada",        12,  504,  29.1,  29.1,  116.6,   58.3,    233,  8.9,  46, _P4,   "",                    0, "AD10x"),
  ("NVIDIA GeForce RTX 4080",                           "RTX4080",                                 "Ada",        16,  717,  48.7,  48.7,    195,   97.5,    390,  8.9,  76, _P4,   "",                    0, "AD10x"),
  ("NVIDIA GeForce RTX 4090",                           "RTX4090",                                 "Ada",        24, 1008,  82.6,  82.6,  330.3,  165.2,  660.6,  8.9, 128, _P4,   "",                    0, "AD10x"),
  ("NVIDIA H100 80GB HBM3",                             "H100 H100-80GB H100-SXM H100-SXM5",       "Hopper",     80, 3350,    67,   494,    989,    989,   1979,  9.0, 132, _P5,   "NVLink 4",          900, "H100"),
  ("NVIDIA H100 PCIe",                                  "H100-PCIE",                               "Hopper",     80, 2000,    51,   378,    756,    756,   1513,  9.0, 114, _P5,   "NVLink 4",          600, "H100"),
  ("NVIDIA H100 NVL",                                   "H100-NVL",                                "Hopper",     94, 3900,    60,   418,    835,    835,   1671,  9.0, 132, _P5,   "NVLink 4",          600, "H100"),
  ("NVIDIA H200",                                       "H200 H200-SXM H200-141GB",                "Hopper",    141, 4800,    67,   494,    989,    989,   1979,  9.0, 132, _P5,   "NVLink 4",          900, "H200"),
  ("NVIDIA GH200 480GB",                                "GH200",                                   "Hopper",     96, 4000,    67,   494,    989,    989,   1979,  9.0, 132, _C2C,  "NVLink 4",          900, "H200"),
  ("NVIDIA B200",                                       "B200",                                    "Blackwell", 180, 8000,    75,  1125,   2250,   2250,   4500, 10.0, 148, _P5,   "NVLink 5",         1800, "B200"),
  ("NVIDIA GB200",                                      "GB200",                                   "Blackwell", 186, 8000,    80,  1250,   2500,   2500,   5000, 10.0, 152, _C2C,  "NVLink 5",         1800, "B200"),
  ("NVIDIA B300 SXM6 AC",                               "B300",                                    "Blackwell", 270, 8000,    75,  1125,   2250,   2250,    188, 10.3, 148, _P5,   "NVLink 5",         1800, "B200"),
  ("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "RTXPRO6000",                              "Blackwell",  96, 1792,   125,   252,  503.8,  503.8,   1007, 12.0, 188, _P5,   "",                    0, "GB20x"),
  ("NVIDIA GeForce RTX 5070",                           "RTX5070",                                 "Blackwell",  12,  672,  30.9,  30.9,  123.5,   61.7,    247, 12.0,  48, _P5,   "",                    0, "GB20x"),
  ("NVIDIA GeForce RTX 5080",                           "RTX5080",                                 "Blackwell",  16,  960,  56.3,  56.3,  225.1,  112.6,  450.2, 12.0,  84, _P5,   "",                    0, "GB20x"),
  ("NVIDIA GeForce RTX 5090",                           "RTX5090",                                 "Blackwell",  32, 1792, 104.8, 104.8,    419,  209.5,    838, 12.0, 170, _P5,   "",                    0, "GB20x"),
]
_AMD = [
  ("AMD Radeon Instinct MI25",                          "MI25",                                    "Vega",       16,  484,  12.3,     0,   24.6,      0,      0,    0,  64, _P3,   "",                    0, "MI25"),
  ("AMD Radeon Instinct MI50",                          "MI50",                                    "Vega",       32, 1024,  13.4,     0,   26.8,      0,   53.6,    0,  60, _P4,   "Infinity Fabric",   184, "MI25"),
  ("AMD Instinct MI100",                                "MI100",                                   "CDNA",       32, 1229,  23.1,     0,  184.6,   92.3,  184.6,    0, 120, _P4,   "Infinity Fabric",   276, "MI100"),
  ("AMD Instinct MI210",                                "MI210",                                   "CDNA 2",     64, 1638,  22.6,     0,    181,    181,    181,    0, 104, _P4,   "Infinity Fabric",   300, "MI200"),
  ("AMD Instinct MI250X",                               "MI250X",                                  "CDNA 2",     64, 1638,  23.9,     0,  191.5,  191.5,  191.5,    0, 110, _P4,   "Infinity Fabric",   400, "MI200"),
  ("AMD Instinct MI300A",                               "MI300A",                                  "CDNA 3",    128, 5300, 122.6, 490.3,  980.6,  980.6, 1961.2,    0, 228, _UNI,  "Infinity Fabric",  1024, "MI300"),
  ("AMD Instinct MI300X",                               "MI300X",                                  "CDNA 3",    192, 5300, 163.4, 653.7, 1307.4, 1307.4, 2614.9,    0, 304, _P5,   "Infinity Fabric",   896, "MI300"),
  ("AMD Instinct MI325X",                               "MI325X",                                  "CDNA 3",    256, 6000, 163.4, 653.7, 1307.4, 1307.4, 2614.9,    0, 304, _P5,   "Infinity Fabric",   896, "MI300"),
  ("AMD Instinct MI355X",                               "MI355X",                                  "CDNA 4",    288, 8000, 157.3,     0, 2516.6, 2516.6, 5033.2,    0, 256, _P5,   "Infinity Fabric",  1075, "MI350"),
  ("AMD Radeon RX 7900 XTX",                            "RX7900XTX 7900XTX",                       "RDNA 3",     24,  960,  61.4,     0,  122.8,  122.8,  122.8,    0,  96, _P4,   "",                    0, "RDNA3"),
]
_APPLE = [
  ("Apple M1",                                          "M1",                                      "Apple 7",    16,   68,   2.6,     0,    2.6,      0,      0,    0,   8, _UNI,  "",                    0, "Apple"),
  ("Apple M1 Max",                                      "M1Max",                                   "Apple 7",    64,  400,  10.4,     0,   10.4,      0,      0,    0,  32, _UNI,  "",                    0, "Apple"),
  ("Apple M1 Ultra",                                    "M1Ultra",                                 "Apple 7",   128,  800,  20.8,     0,   20.8,      0,      0,    0,  64, _UNI,  "",                    0, "Apple"),
  ("Apple M2",                                          "M2",                                      "Apple 8",    24,  100,   3.6,     0,    3.6,      0,      0,    0,  10, _UNI,  "",                    0, "Apple"),
  ("Apple M2 Max",                                      "M2Max",                                   "Apple 8",    96,  400,  13.6,     0,   13.6,      0,      0,    0,  38, _UNI,  "",                    0, "Apple"),
  ("Apple M2 Ultra",                                    "M2Ultra",                                 "Apple 8",   192,  800,  27.2,     0,   27.2,      0,      0,    0,  76, _UNI,  "",                    0, "Apple"),
  ("Apple M3 Max",                                      "M3Max",                                   "Apple 9",   128,  400,  14.2,     0,   14.2,   14.2,      0,    0,  40, _UNI,  "",                    0, "Apple"),
  ("Apple M4",                                          "M4",                                      "Apple 9",    32,  120,   4.3,     0,    4.3,    4.3,      0,    0,  10, _UNI,  "",                    0, "Apple"),
  ("Apple M4 Max",                                      "M4Max",                                   "Apple 9",   128,  546,  18.4,     0,   18.4,   18.4,      0,    0,  40, _UNI,  "",                    0, "Apple"),
]
_INTEL = [
  ("Intel(R) Data Center GPU Flex 170",                 "Flex170",                                 "Xe-HPG",     16,  576,  16.0,     0,    128,    128,    256,    0,  32, _P4,   "",                    0, "Flex"),
  ("Intel(R) Data Center GPU Max 1100",                 "Max1100 PVC1100",                         "Xe-HPC",     48, 1229,  22.2,   176,    352,    352,    704,    0,  56, _P5,   "Xe Link",           318, "Max"),
  ("Intel(R) Data Center GPU Max 1550",                 "Max1550 PVC1550",                         "Xe-HPC",    128, 3277,  52.4,   419,    839,    839,   1678,    0, 128, _P5,   "Xe Link",           424, "Max"),
  ("Intel(R) Arc(TM) A770 Graphics",                    "A770 ArcA770",                            "Xe-HPG",     16,  560,  19.7,     0,    157,    157,    315,    0,  32, _P4,   "",                    0, "Arc"),
  ("Intel(R) Arc(TM) B580 Graphics",                    "B580 ArcB580",                            "Xe2",        12,  456,  13.7,     0,    117,    117,    233,    0,  20, _P4X8, "",                    0, "Arc"),
]
# fmt: on

_TERA, _GIGA = 1e12, 1e9


def _model(vendor: str, row: tuple[object, ...]) -> Model:
    name, aliases, architecture, gib, bandwidth, *rates = row[:10]
    capability, cores, bus, link, speed, source = row[10:]
    fp32, tf32, fp16, bf16, int8 = (float(str(rate)) * _TERA for rate in rates)
    major, _, minor = str(capability).partition(".")
    return Model(
        name=str(name),
        aliases=tuple(str(aliases).split()),
        vendor=vendor,
        architecture=str(architecture),
        memory_bytes=int(str(gib)) * GIB,
        bandwidth=float(str(bandwidth)) * _GIGA,
        fp32=fp32,
        tf32=tf32 or None,
        fp16=fp16 or None,
        bf16=bf16 or None,
        int8=int8 or None,
        capability=(int(major), int(minor)) if capability else None,
        multiprocessors=int(str(cores)),
        bus=str(bus),
        bus_bandwidth=BUSES[str(bus)] * _GIGA,
        link=str(link),
        link_bandwidth=float(str(speed)) * _GIGA or None,
        source=SOURCES[str(source)],
    )


MODELS: tuple[Model, ...] = tuple(
    _model(vendor, row)
    for vendor, rows in (
        ("nvidia", _NVIDIA),
        ("amd", _AMD),
        ("apple", _APPLE),
        ("intel", _INTEL),
    )
    for row in rows
)

_NOISE = re.compile(r"nvidia|geforce|tesla|\(r\)|\(tm\)|[\s_-]")


def _key(name: str) -> str:
    return _NOISE.sub("", name.lower())


_BY_KEY: dict[str, Model] = {}
for _entry in MODELS:
    for _name in (_entry.name, *_entry.aliases):
        _BY_KEY.setdefault(_key(_name), _entry)


def find_model(name: str) -> Model | None:
    """Return the model a name means, whatever its case, spaces and dashes; None if there is none.

    >>> find_model("rtx 4090").name
    'NVIDIA GeForce RTX 4090'
    """
    return _BY_KEY.get(_key(name))


def nearest_model(name: str) -> str:
    """Return the usual name of the model closest to `name`, or an empty string."""
    close = nearest(_key(name), list(_BY_KEY))
    return _BY_KEY[close].aliases[0] if close else ""
