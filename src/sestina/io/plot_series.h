// The points of a curve, reduced to those that can be distinguished.
#pragma once

#include <span>
#include <vector>

#include "sestina/io/figure.h"

namespace sestina {

// Connected parts of a curve; they are separated where a coordinate is not finite.
using Strokes = std::vector<std::vector<PagePoint>>;

// Returns points in page coordinates, in the order of the data; non-finite ones break the curve. Of many
// points
//  - a curve whose x never falls keeps, in each column of width `resolution` (mm), its first, lowest, highest
//    and last point, which covers the same dots;
//  - any other curve drops points that lie within a quarter of `resolution` of the last point kept.
Strokes thin_out(std::span<const double> x, std::span<const double> y, double resolution);

}  // namespace sestina
