import type { FastifyReply, FastifyRequest } from 'fastify'

/** What every answer carries. Without `nosniff` a browser may take a CSV or a text that a user wrote for a page or a script. */
export function addCommonHeaders(reply: FastifyReply, request: FastifyRequest): void {
  reply.header('x-request-id', request.id)
  reply.header('x-content-type-options', 'nosniff')
}

/** Says that an answer depends on a header of the request, beside those that were named before. */
export function addVary(reply: FastifyReply, name: string): void {
  const before = reply.getHeader('vary')
  reply.header('vary', before === undefined ? name : `${before}, ${name}`)
}

/** A file's name in plain letters for old browsers, and as it is for the others; nothing in it can end the header or begin another. */
export function contentDisposition(filename: string): string {
  const plain = filename.replaceAll(/[^\w.-]/g, '_')
  const encoded = encodeURIComponent(filename.toWellFormed()).replaceAll(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}
