/** Names of pools that only the server may make, for what it needs itself; existing clients know them. */
export const isReservedPoolName = (name: string): boolean => name.toLowerCase().startsWith('prefect')
