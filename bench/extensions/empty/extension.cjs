/** A minimal extension, whose activation is the reference for the start of the editor. */
exports.activate = () => {};
