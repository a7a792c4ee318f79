"""Devices as data: what `device_lib.list_local_devices` shows, and what cost models know."""

TABLE = """
file tensorflow/core/framework/device_attributes.proto
  InterconnectLink
    device_id 1 int32
    type 2 string
    strength 3 int32
  LocalLinks
    link 1 repeated InterconnectLink
  DeviceLocality
    bus_id 1 int32
    numa_node 2 int32
    links 3 LocalLinks
  DeviceAttributes
    name 1 string
    device_type 2 string
    memory_limit 4 int64  # bytes
    locality 5 DeviceLocality
    incarnation 6 fixed64  # changes when the device is reset
    physical_device_desc 7 string
    xla_global_id 8 int64

file tensorflow/core/protobuf/device_properties.proto
  DeviceProperties
    type 1 string
    vendor 2 string
    model 3 string
    frequency 4 int64
    num_cores 5 int64
    environment 6 map<string,string>
    num_registers 7 int64
    l1_cache_size 8 int64
    l2_cache_size 9 int64
    l3_cache_size 10 int64
    shared_memory_size_per_multiprocessor 11 int64
    memory_size 12 int64
    bandwidth 13 int64
  NamedDevice
    name 1 string
    properties 2 DeviceProperties
"""
