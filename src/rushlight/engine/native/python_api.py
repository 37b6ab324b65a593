"""The functions of Python's C interface and of libc that translated code calls.

An object is a word: its address.
"""

from rushlight.engine.native.lowlevel import extern

incref = extern("Py_IncRef", "None", "int")
decref = extern("Py_DecRef", "None", "int")
generic_alloc = extern("PyType_GenericAlloc", "int", "int", "int")
object_free = extern("PyObject_Free", "None", "int")
call_object = extern("PyObject_CallFunctionObjArgs", "int", "int", variadic=True)
vectorcall = extern("PyObject_Vectorcall", "int", "int", "int", "int", "int")
float_as_double = extern("PyFloat_AsDouble", "float", "int")
float_from_double = extern("PyFloat_FromDouble", "int", "float")
long_as_word = extern("PyLong_AsUnsignedLongLongMask", "int", "int")
long_from_word = extern("PyLong_FromLongLong", "int", "int")
long_as_signed = extern("PyLong_AsLongLong", "int", "int")
complex_real = extern("PyComplex_RealAsDouble", "float", "int")
complex_imag = extern("PyComplex_ImagAsDouble", "float", "int")
error_occurred = extern("PyErr_Occurred", "int")
set_error = extern("PyErr_SetObject", "None", "int", "int")
clear_error = extern("PyErr_Clear", "None")
tuple_size = extern("PyTuple_Size", "int", "int")
tuple_item = extern("PyTuple_GetItem", "int", "int", "int")
tuple_new = extern("PyTuple_New", "int", "int")
tuple_set = extern("PyTuple_SetItem", "i32", "int", "int", "int")
dict_get = extern("PyDict_GetItem", "int", "int", "int")
save_thread = extern("PyEval_SaveThread", "int")
restore_thread = extern("PyEval_RestoreThread", "None", "int")

aligned_alloc = extern("aligned_alloc", "int", "int", "int")
libc_free = extern("free", "None", "int")
madvise = extern("madvise", "i32", "int", "int", "i32")
sched_yield = extern("sched_yield", "i32")
syscall = extern("syscall", "int", "int", variadic=True)
type_slot = extern("PyType_GetSlot", "int", "int", "i32")
list_size = extern("PyList_Size", "int", "int")
list_item = extern("PyList_GetItem", "int", "int", "int")
bool_from_word = extern("PyBool_FromLong", "int", "int")
memcpy = extern("memcpy", "int", "int", "int", "int")
iterator_next = extern("PyIter_Next", "int", "int")
new_weakref = extern("PyWeakref_NewRef", "int", "int", "int")
thread_ident = extern("PyThread_get_thread_ident", "int")
