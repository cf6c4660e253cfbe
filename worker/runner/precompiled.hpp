#pragma once

/// What the runner's torch files include, compiled once. Nothing of ours in it: a change there would compile torch
/// again.
#include <ATen/ATen.h>
#include <pybind11/embed.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <torch/csrc/autograd/python_variable.h>
