"""Every pipeline class of the installed diffusers, tiny and cached: the rows of docs/compatibility.md."""
