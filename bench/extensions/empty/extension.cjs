/** An empty extension, whose activation time is the baseline for the startup benchmark. */
exports.activate = () => {};
