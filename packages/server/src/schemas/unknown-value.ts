/** Stands in the values for one that is not known: no schema takes it for a value of its own. */
export const unknownValue: unique symbol = Symbol('unknown')
