import { badRequest } from '../../errors.ts'
import { type Db, statement } from '../../storage/database.ts'
import { type HydrationContext, hasPlaceholders } from './hydrate.ts'

const allVariables = statement('select name, value from variable')

/** What the placeholders of these parameters may draw on; the variables are read only when one of them asks for a variable. */
export async function hydrationContext(
  db: Db,
  texts: readonly string[],
  render: HydrationContext['render'] = noTemplates,
): Promise<HydrationContext> {
  const asked = texts.some((text) => hasPlaceholders(text) && text.includes('workspace_variable'))
  const rows = asked ? await db.all<{ name: string; value: string }>(allVariables) : []
  return { variables: new Map(rows.map(({ name, value }) => [name, value])), render }
}

const noTemplates = (): never => {
  throw badRequest('Templates in parameters are not rendered by this server')
}
