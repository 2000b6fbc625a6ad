import type { FastifyReply, FastifyRequest } from 'fastify'

/** Headers of every response. Without `nosniff` a browser may run a CSV or text of a user as a page or script. */
export function addCommonHeaders(reply: FastifyReply, request: FastifyRequest): void {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
}

/** Adds a request header to `Vary`. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}

/** Sends an ASCII name for old browsers and the encoded name for others. No character can end the header or start another. */
export function contentDisposition(filename: string): string {
  const plain = filename.replaceAll(/[^\w.-]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
