/** The entry of a table by a text of somebody else, which may be `constructor` or `__proto__`. */
export const ownEntry = <T>(table: Readonly<Record<string, T>>, key: string): T | undefined => (Object.hasOwn(table, key) ? table[key] : undefined)
