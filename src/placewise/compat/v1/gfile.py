"""tf.gfile of TensorFlow 1: files and folders under their older names."""

from placewise.compat.v1 import ops_io
from placewise.ops.io import file_objects, file_system

GFile = FastGFile = Open = file_objects.GFile
Copy = file_system.copy
DeleteRecursively = file_system.rmtree
Exists = file_system.exists
Glob = file_system.glob
IsDirectory = file_system.isdir
ListDirectory = file_system.listdir
MakeDirs = file_system.makedirs
MkDir = file_system.mkdir
Remove = file_system.remove
Rename = file_system.rename
Stat = file_system.stat
Walk = ops_io.walk

del file_objects, file_system, ops_io
