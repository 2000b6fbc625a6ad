import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { describeError } from '../../api/describe-error.ts'
import { deleteSavedSearch, savedSearchesQuery, saveSearch } from '../../api/saved-searches.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx'
import { showToast } from '../../ui/toast.tsx'
import type { SearchChange } from '../../use-search-change.ts'
import { filtersAsSearch, type RunsSearch, searchAsFilters } from './runs-search.ts'

interface SavedSearchesProps {
  readonly search: RunsSearch
  readonly onChange: SearchChange<RunsSearch>
}

/** Named searches on the server, shared by all users. */
export function SavedSearches({ search, onChange }: SavedSearchesProps) {
  const queryClient = useQueryClient()
  const saved = useQuery(savedSearchesQuery())
  const [naming, setNaming] = useState<'new' | 'again' | undefined>()
  const isEmpty = Object.keys(search).length === 0
  const same = (one: RunsSearch) => JSON.stringify(searchAsFilters(one)) === JSON.stringify(searchAsFilters(search))
  const current = saved.data?.find(({ filters }) => same(filtersAsSearch(filters)))

  const change = async (request: Promise<unknown>, message: string) => {
    try {
      await request
      showToast(message)
      await queryClient.invalidateQueries({ queryKey: savedSearchesQuery().queryKey })
    } catch (error) {
      showToast('Search not saved', { tone: 'bad', detail: describeError(error).detail ?? '' })
    }
  }
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name')).trim()
    setNaming(undefined)
    const old = naming === 'again' ? current : undefined
    const kept = saveSearch({ name, filters: searchAsFilters(search) })
    // Searches are identified by name, so a rename is a copy and a delete.
    if (old && old.name !== name)
      void change(
        kept.then(() => deleteSavedSearch(old.id)),
        `“${old.name}” is now “${name}”`,
      )
    else void change(kept, `Saved as “${name}”`)
  }

  return (
    <>
      <Menu
        trigger={
          <Button icon="bookmark" variant="quiet" aria-label="Saved searches">
            {current?.name}
          </Button>
        }
      >
        <MenuLabel>Saved searches</MenuLabel>
        {saved.data?.map((each) => (
          <MenuItem
            key={each.id}
            {...(each === current ? { icon: 'check' as const } : {})}
            onSelect={() => onChange(() => filtersAsSearch(each.filters))}
          >
            {each.name}
          </MenuItem>
        ))}
        {saved.data?.length === 0 && <p className="px-2 pb-2 text-faint">No saved searches</p>}
        <MenuSeparator />
        <MenuItem icon="plus" disabled={isEmpty} onSelect={() => setNaming('new')}>
          Save search…
        </MenuItem>
        {current && (
          <MenuItem icon="bookmark" onSelect={() => setNaming('again')}>
            Rename “{current.name}”…
          </MenuItem>
        )}
        {current && (
          <MenuItem icon="trash" danger onSelect={() => void change(deleteSavedSearch(current.id), `Deleted “${current.name}”`)}>
            Delete “{current.name}”
          </MenuItem>
        )}
      </Menu>
      <Dialog
        open={naming !== undefined}
        onClose={() => setNaming(undefined)}
        title={naming === 'again' ? 'Rename search' : 'Save search'}
        description="Saved searches are shared with all users. Saving under an existing name replaces it."
        actions={
          <>
            <Button onClick={() => setNaming(undefined)}>Cancel</Button>
            <Button variant="primary" type="submit" form="save-search">
              Save
            </Button>
          </>
        }
      >
        <form id="save-search" onSubmit={save}>
          <TextField label="Name" name="name" required autoFocus defaultValue={naming === 'again' ? current?.name : undefined} />
        </form>
      </Dialog>
    </>
  )
}
