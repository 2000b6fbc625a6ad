import Type from 'typebox'
import { defaulted } from './primitives.ts'

/** Left out, the limit is the server's configured default, which is also the most it may be: the server says so, not the shape. */
export const limit = Type.Optional(Type.Integer({ minimum: 0 }))

export const offset = defaulted(Type.Integer({ minimum: 0 }), 0)

export const page = defaulted(Type.Integer({ minimum: 1 }), 1)

/** What an operation on many things at once takes at most. */
export const bulkLimit = defaulted(Type.Integer({ minimum: 1, maximum: 50 }), 50)

/** How many there are in all, and where in them a page stands. */
export const pageInfo = { count: Type.Integer(), limit: Type.Integer(), pages: Type.Integer(), page: Type.Integer() }

export const Count = Type.Integer()
