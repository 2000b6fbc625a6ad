import { createFileRoute } from '@tanstack/react-router'
import { SettingsPage } from '../features/settings/settings-page.tsx'
import { onlyValid, readString } from '../search-params.ts'
import { useSearchChange } from '../use-search-change.ts'

export const Route = createFileRoute('/settings')({
  validateSearch: onlyValid((params): { setting?: string } => {
    const setting = readString(params.setting)
    return setting === undefined ? {} : { setting }
  }),
  component: Settings,
})

function Settings() {
  const change = useSearchChange<{ setting?: string }>()
  const { setting = '' } = Route.useSearch()
  return <SettingsPage search={setting} onSearch={(text) => change({ setting: text || undefined })} />
}
