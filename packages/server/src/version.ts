/** Millrace's own version. */
export const version = '0.1.0'

/** The version of the API that we speak, as existing clients know it. */
export const apiVersion = '0.8.4'

/** The release of the reference whose clients are to find nothing missing; they warn when it is older than themselves. */
export const compatibleVersion = '3.9.0'
