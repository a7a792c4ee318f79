"""`tf.gfile` of TensorFlow 1: files and folders under their TF1 names."""

from placewise.ops.io import file_objects, file_system
from placewise.tf1 import ops_io
from placewise.tf1.spelling import spelled

GFile = FastGFile = Open = file_objects.GFile
Copy = spelled(file_system.copy, "oldpath, newpath, overwrite=False", oldpath="src", newpath="dst")
DeleteRecursively = spelled(file_system.rmtree, "dirname", dirname="path")
Exists = spelled(file_system.exists, "filename", filename="path")
Glob = spelled(file_system.glob, "filename", filename="pattern")
IsDirectory = spelled(file_system.isdir, "dirname", dirname="path")
ListDirectory = spelled(file_system.listdir, "dirname", dirname="path")
MakeDirs = spelled(file_system.makedirs, "dirname", dirname="path")
MkDir = spelled(file_system.mkdir, "dirname", dirname="path")
Remove = spelled(file_system.remove, "filename", filename="path")
Rename = spelled(
    file_system.rename, "oldname, newname, overwrite=False", oldname="src", newname="dst"
)
Stat = spelled(file_system.stat, "filename", filename="path")
Walk = ops_io.walk
