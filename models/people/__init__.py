"""Human annotation: sheets, scales, active selection of labels."""
