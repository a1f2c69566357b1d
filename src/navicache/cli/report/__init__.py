"""`navicache report`: the results of `navicache bench` as one page."""
