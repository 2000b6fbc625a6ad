/** Millrace's own version. */
export const version = '0.1.0'

/** Version of the v3 API that the server implements. */
export const apiVersion = '0.8.4'

/** Release of the reference that the server is compatible with. Newer clients log a warning. */
export const compatibleVersion = '3.9.1'
