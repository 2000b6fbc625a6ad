/** Stands in the values for one that is not known: no schema takes it for a value of its own. */
export const unknown: unique symbol = Symbol('unknown')
