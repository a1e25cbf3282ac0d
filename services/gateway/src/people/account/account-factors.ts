import type { RpcClient } from '@gatehouse/kit/rpc/rpc-client'
import type { IdentityServiceService } from '@gatehouse/proto/identity/v1'
import type { AccountFactors } from '../pages/contents/factor-contents.ts'
import { secondFactorAddress } from '../pages/return-to.ts'
import type { Texts } from '../texts/table.ts'

/** A user's factors, as the account page shows them. */
export async function accountFactors(
  userId: string,
  identity: Pick<RpcClient<typeof IdentityServiceService>, 'listFactors'>,
): Promise<AccountFactors> {
  const listed = await identity.listFactors({ userId })
  const { passkeys, app, recoveryCodesLeft, passkeysOffered, appsOffered } = listed
  return {
    passkeys: passkeys.map(({ passkeyId, name, createdAt, lastUsedAt, backedUp }) => ({
      passkeyId,
      name,
      lastUsedAt,
      backedUp,
      createdAt: createdAt ?? new Date(0),
    })),
    app: app && { createdAt: app.createdAt ?? new Date(0), lastUsedAt: app.lastUsedAt },
    recoveryCodesLeft,
    passkeyHref: passkeysOffered ? addressOf('/passkey', 'passkey-added') : undefined,
    appHref: appsOffered ? addressOf('/app', 'app-added') : undefined,
  }
}

function addressOf(page: string, what: keyof Texts['factors']['account']['done']): string {
  return secondFactorAddress(`/account?done=${what}`, 'session', page)
}

/** The message of the account page after a change of a factor, by the change's name; undefined for an unknown name. */
export function factorMessage(what: string, { factors }: Texts): string | undefined {
  const { done } = factors.account
  return Object.hasOwn(done, what) ? done[what as keyof typeof done] : undefined
}
