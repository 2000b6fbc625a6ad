/** Class names side by side, without those that are off. */
export const classes = (...names: (string | false | null | undefined)[]): string => names.filter(Boolean).join(' ')
