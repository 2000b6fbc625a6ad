import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowRunQuery } from '../../api/flow-runs.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { CompareFacts } from './compare-facts.tsx'
import { CompareParameters } from './compare-parameters.tsx'
import { CompareStates } from './compare-states.tsx'
import { CompareTasks } from './compare-tasks.tsx'

const crumbs = [{ label: 'Runs', to: '/runs' }]

/** Compares parameters, tasks and states of two runs. */
export function ComparePage({ a, b }: { readonly a: string | undefined; readonly b: string | undefined }) {
  if (!a || !b) {
    return (
      <Page title="Compare runs" crumbs={crumbs}>
        <EmptyState title="Select two runs">Select two runs in the run list, then select Compare.</EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title="Compare runs"
      crumbs={crumbs}
      actions={
        <Link to="/runs/compare" search={{ a: b, b: a }} replace className={buttonClass()}>
          Swap
        </Link>
      }
    >
      <Comparison a={a} b={b} />
    </Page>
  )
}

function Comparison({ a, b }: { readonly a: string; readonly b: string }) {
  const one = useQuery(flowRunQuery(a))
  const other = useQuery(flowRunQuery(b))
  return (
    <QueryView query={one} skeleton={<SkeletonRows rows={10} label="Loading both runs" />}>
      {(first) => (
        <QueryView query={other} skeleton={<SkeletonRows rows={10} label="Loading both runs" />}>
          {(second) => (
            <div className="flex flex-col gap-4">
              <CompareFacts a={first} b={second} />
              <CompareParameters a={first} b={second} />
              <CompareTasks a={first} b={second} />
              <CompareStates a={first} b={second} />
            </div>
          )}
        </QueryView>
      )}
    </QueryView>
  )
}
