import type { Flow } from '@millrace/contracts/flow.ts'
import { useState } from 'react'
import { setFlowTags } from '../../api/flows.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { TagsField } from '../../ui/tags.tsx'
import { TimeText } from '../../ui/time-text.tsx'
import { useAction } from '../use-action.ts'

export function FlowDetails({ flow }: { readonly flow: Flow }) {
  const [tags, setTags] = useState<readonly string[]>(flow.tags)
  const { busy, attempt } = useAction('flows')
  const isChanged = JSON.stringify(tags) !== JSON.stringify(flow.tags)
  return (
    <div className="flex max-w-xl flex-col gap-6">
      <Facts
        facts={[
          { name: 'Created', value: <TimeText time={flow.created} show="full" /> },
          { name: 'Updated', value: <TimeText time={flow.updated} show="full" /> },
          {
            name: 'ID',
            value: (
              <span className="flex items-center gap-1">
                <code className="truncate font-mono text-sm">{flow.id}</code>
                <CopyButton text={flow.id} label="Copy ID" />
              </span>
            ),
          },
        ]}
      />
      <div className="flex flex-col gap-2">
        <TagsField label="Tags" tags={tags} onChange={setTags} />
        <div>
          <Button
            disabled={!isChanged}
            busy={busy}
            onClick={() =>
              void attempt(async () => {
                await setFlowTags(flow.id, [...tags])
                return 'Tags saved'
              })
            }
          >
            Save tags
          </Button>
        </div>
      </div>
      <JsonView label="Labels" value={flow.labels} />
    </div>
  )
}
