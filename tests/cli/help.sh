# The help of the program and of every command.
try scdc --help
try scdc help version
try scdc version --help
