import { Refusal } from '@gatehouse/kit/errors'
import { handlersOf } from '@gatehouse/kit/rpc/rpc-server'
import { TokenServiceService } from '@gatehouse/proto/token/v1'
import { previewTokens, type TokenPreviewDeps } from '../administration/token-preview.ts'

/** The refusals that are an answer: the tokens that there would be are none. */
const answers: ReadonlySet<string> = new Set([
  'access_denied',
  'unauthorized_client',
  'invalid_scope',
  'invalid_target',
])

/** The RPC that says what tokens would contain. */
export function previewRpcs(deps: TokenPreviewDeps) {
  return handlersOf(TokenServiceService, {
    async previewTokens(request) {
      try {
        return { outcome: { $case: 'preview' as const, value: await previewTokens(request, deps) } }
      } catch (error) {
        if (!(error instanceof Refusal && answers.has(error.code))) throw error
        const { code, description } = error
        return { outcome: { $case: 'refused' as const, value: { error: code, description } } }
      }
    },
  })
}
