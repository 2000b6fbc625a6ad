import Type from 'typebox'
import { defaulted } from './primitives.ts'

/** The configured default of the server is also the maximum. The server checks it, not the schema. */
export const limit = Type.Optional(Type.Integer({ minimum: 0 }))

export const offset = defaulted(Type.Integer({ minimum: 0 }), 0)

export const page = defaulted(Type.Integer({ minimum: 1 }), 1)

/** Maximum number of items of a bulk operation. */
export const bulkLimit = defaulted(Type.Integer({ minimum: 1, maximum: 50 }), 50)

/** The total count and the position of a page. */
export const pageInfo = { count: Type.Integer(), limit: Type.Integer(), pages: Type.Integer(), page: Type.Integer() }

export const Count = Type.Integer()
