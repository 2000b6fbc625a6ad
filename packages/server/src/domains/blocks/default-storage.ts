import { invalid, notFound } from '../../errors.ts'
import { type Db, statement, type Tx } from '../../storage/database.ts'
import { readDocument } from './document-store.ts'
import { type BlockSchemaRow, readBlockSchema } from './schema-store.ts'

const current = statement('select block_document_id from default_result_storage')
const removeDefault = statement('delete from default_result_storage')

/** The capability that a block needs to store results. */
const requiredCapability = 'write-path'

export const readDefaultStorage = async (db: Db): Promise<string | null> =>
  (await db.first<{ block_document_id: string }>(current))?.block_document_id ?? null

export const setDefaultStorage =
  (id: string) =>
  async (tx: Tx): Promise<void> => {
    const document = await readDocument(tx, id)
    if (!document) throw notFound(`Block document ${id}`)
    const { capabilities } = (await readBlockSchema(tx, document.block_schema_id)) as BlockSchemaRow
    if (!(JSON.parse(capabilities) as string[]).includes(requiredCapability)) {
      throw invalid(
        ['body', 'default_result_storage_block_id'],
        `Block document ${id} cannot store results: it lacks the capability ${requiredCapability}.`,
      )
    }
    await tx.insert('default_result_storage', [{ number: 1, block_document_id: id }], {
      onConflict: 'on conflict (number) do update set block_document_id = excluded.block_document_id',
    })
  }

/** Writes nothing if no default is set. */
export const clearDefaultStorage = async (tx: Tx): Promise<void> => {
  if (await readDefaultStorage(tx)) await tx.run(removeDefault)
}
