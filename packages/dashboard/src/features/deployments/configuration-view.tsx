import type { DeploymentResponse } from '@millrace/contracts/deployment.ts'
import { Facts } from '../../ui/facts.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Panel } from '../../ui/page.tsx'
import { DeploymentFacts } from './deployment-facts.tsx'

/** Code location and job configuration of a deployment. */
export function ConfigurationView({ deployment }: { readonly deployment: DeploymentResponse }) {
  return (
    <div className="flex max-w-3xl flex-col gap-4">
      <div className="lg:hidden">
        <DeploymentFacts deployment={deployment} />
      </div>
      <Facts
        facts={[
          { name: 'Entrypoint', value: deployment.entrypoint && <code className="font-mono text-sm">{deployment.entrypoint}</code> },
          { name: 'Path', value: deployment.path && <code className="font-mono text-sm">{deployment.path}</code> },
          { name: 'Version', value: deployment.version },
          { name: 'Schema', value: deployment.enforce_parameter_schema ? 'Parameters are validated' : 'Parameters are not validated' },
        ]}
      />
      <Panel title="Job variables">
        <div className="p-3">
          <JsonView label="Job variables" value={deployment.job_variables} />
        </div>
      </Panel>
      {deployment.pull_steps && (
        <Panel title="Pull steps">
          <div className="p-3">
            <JsonView label="Pull steps" value={deployment.pull_steps} />
          </div>
        </Panel>
      )}
      {deployment.parameter_openapi_schema && (
        <Panel title="Parameter schema">
          <div className="p-3">
            <JsonView label="Parameter schema" value={deployment.parameter_openapi_schema} />
          </div>
        </Panel>
      )}
      {Object.keys(deployment.labels).length > 0 && (
        <Panel title="Labels">
          <div className="p-3">
            <JsonView label="Labels" value={deployment.labels} />
          </div>
        </Panel>
      )}
    </div>
  )
}
