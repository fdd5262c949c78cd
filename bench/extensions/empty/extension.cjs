/** The least that an extension can be: what a start costs the editor anyway. */
exports.activate = () => {};
