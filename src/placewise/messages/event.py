"""The records of an event file."""

TABLE = """
file tensorflow/core/util/event.proto
  enum WorkerHealth
    OK 0, RECEIVED_SHUTDOWN_SIGNAL 1, INTERNAL_ERROR 2, SHUTTING_DOWN 3
  enum WorkerShutdownMode
    DEFAULT 0, NOT_CONFIGURED 1, WAIT_FOR_COORDINATOR 2, SHUTDOWN_AFTER_TIMEOUT 3
  Event
    wall_time 1 double
    step 2 int64
    oneof what
      file_version 3 string  # "brain.Event:2" opens a file
      graph_def 4 bytes  # a serialised GraphDef
      summary 5 Summary
      log_message 6 LogMessage
      session_log 7 SessionLog
      tagged_run_metadata 8 TaggedRunMetadata
      meta_graph_def 9 bytes
    source_metadata 10 SourceMetadata
  SourceMetadata
    writer 1 string
  LogMessage
    level 1 Level
    message 2 string
    enum Level
      UNKNOWN 0, DEBUGGING 10, INFO 20, WARN 30, ERROR 40, FATAL 50
  SessionLog
    status 1 SessionStatus
    checkpoint_path 2 string
    msg 3 string
    enum SessionStatus
      STATUS_UNSPECIFIED 0, START 1, STOP 2, CHECKPOINT 3
  TaggedRunMetadata
    tag 1 string
    run_metadata 2 bytes  # a serialised RunMetadata
  # What TPU workers and their coordinator tell each other.
  WatchdogConfig
    timeout_ms 1 int64
  RequestedExitCode
    exit_code 1 int32
  WorkerHeartbeatRequest
    shutdown_mode 1 WorkerShutdownMode
    watchdog_config 2 WatchdogConfig
    exit_code 3 RequestedExitCode
  WorkerHeartbeatResponse
    health_status 1 WorkerHealth
    worker_log 2 repeated Event
    hostname 3 string
"""
