import type { MailTexts } from './mail-texts.ts'

const onceInAnHour = 'このリンクは1時間以内に1回だけ使えます。'
const nothingHappens =
  'お心当たりがない場合は、このメールを無視してください。リンクを開かない限り、何も起こりません。'

/** The mails in Japanese. */
export const ja: MailTexts = {
  greeting: (username) => (username === undefined ? 'こんにちは。' : `${username} 様`),
  orOpen: 'または、次のアドレスをブラウザーで開いてください。',
  reason: (brand) => `このメールアドレスが ${brand} で使われたため、このメールをお送りしています。`,
  terms: '利用規約',
  privacy: 'プライバシー',
  support: 'サポート',
  kinds: {
    sign_up: ({ brand }) => ({
      subject: `${brand} の登録を完了してください`,
      lines: [`ユーザー名とパスワードを決めて、${brand} のアカウントを作成してください。`],
      button: 'アカウントを作成',
      after: [onceInAnHour, nothingHappens],
    }),
    sign_up_known: ({ brand, username }) => ({
      subject: `${brand} のアカウントはすでにあります`,
      lines: [
        `このメールアドレスで ${brand} に登録しようとする操作がありました。このアドレスはアカウント ${username} のものです。この名前またはこのアドレスでログインしてください。`,
        'パスワードがわからない場合は、再設定できます。',
      ],
      button: 'パスワードを再設定',
      after: ['お心当たりがない場合は、このメールを無視してください。何も変わっていません。'],
    }),
    invitation: ({ brand }) => ({
      subject: `${brand} への招待`,
      lines: [`管理者から、${brand} のアカウントを作成するよう招待されています。`],
      button: 'アカウントを作成',
      after: [
        'このリンクは7日以内に1回だけ使えます。',
        'アカウントが必要でない場合は、このメールを無視してください。',
      ],
    }),
    password_reset: ({ brand, username }) => ({
      subject: `${brand} のパスワードの再設定`,
      lines: [`${brand} の ${username} のパスワードを再設定する依頼がありました。`],
      button: '新しいパスワードを設定',
      after: [
        onceInAnHour,
        'お心当たりがない場合は、このメールを無視してください。パスワードは変わりません。',
      ],
    }),
    password_changed: ({ brand, username, time }) => ({
      subject: `${brand} のパスワードが変更されました`,
      lines: [`${brand} の ${username} のパスワードが変更されました(${time})。`],
      button: '心当たりがない:パスワードを再設定',
      after: ['ご自身で変更された場合は、何もする必要はありません。'],
    }),
    address: ({ brand, username }) => ({
      subject: `${brand} のメールアドレスの確認`,
      lines: [`このメールアドレスが ${brand} の ${username} のものであることを確認してください。`],
      button: 'アドレスを確認',
      after: [onceInAnHour, nothingHappens],
    }),
    address_changed: ({ brand, username, address, time }) => ({
      subject: `${brand} のメールアドレスが変更されました`,
      lines: [
        `${brand} の ${username} のメールアドレスが変更されました(${time})。新しいアドレスは ${address} です。今後、このアドレスにはメールを送りません。`,
      ],
      after: ['お心当たりがない場合は、すぐにこのサーバーの運営者に知らせてください。'],
    }),
    new_login: ({ brand, username, browser, ipAddress, time }) => ({
      subject: `${brand} のアカウントへの新しいログイン`,
      lines: [`これまで使われていないブラウザーから ${username} がログインしました。`],
      facts: [
        ['ブラウザー', browser],
        ['IP アドレス', ipAddress],
        ['日時', time],
      ],
      button: 'アカウントを見る',
      after: [
        'ご自身の操作であれば、何もする必要はありません。そうでない場合は、パスワードを変更し、アカウントのページでセッションを終了してください。',
      ],
    }),
    factor_added: ({ brand, username, time }) => ({
      subject: `${brand} のアカウントにログイン方法が追加されました`,
      lines: [`${brand} のアカウント ${username} に、パスキーまたは認証アプリが追加されました(${time})。`],
      button: 'アカウントを見る',
      after: [
        'ご自身の操作であれば、何もする必要はありません。そうでない場合は、すぐにパスワードを変更し、アカウントのページでログイン方法を確認してください。',
      ],
    }),
    factor_removed: ({ brand, username, time }) => ({
      subject: `${brand} のアカウントからログイン方法が削除されました`,
      lines: [`${brand} のアカウント ${username} から、パスキーまたは認証アプリが削除されました(${time})。`],
      button: 'アカウントを見る',
      after: [
        'ご自身の操作であれば、何もする必要はありません。そうでない場合は、すぐにパスワードを変更し、アカウントのページでログイン方法を確認してください。',
      ],
    }),
    account_connected: ({ brand, username, connection, time }) => ({
      subject: `${brand} のアカウントにログイン方法が追加されました`,
      lines: [`${brand} のアカウント ${username} に、${connection} のアカウントが連携されました(${time})。`],
      button: '連携したアカウントを見る',
      after: [
        'ご自身の操作であれば、何もする必要はありません。そうでない場合は、すぐに連携を解除し、パスワードを変更してください。',
      ],
    }),
    recovery_code_used: ({ brand, username, time }) => ({
      subject: `${brand} のアカウントの回復コードが使われました`,
      lines: [
        `${brand} のアカウント ${username} に、回復コードを使ったログインがありました(${time})。このコードはもう使えません。`,
      ],
      button: 'アカウントを見る',
      after: [
        'ご自身の操作であれば、何もする必要はありません。そうでない場合は、すぐにパスワードを変更し、アカウントのページでログイン方法を確認してください。',
      ],
    }),
    account_deleted: ({ brand, username, time }) => ({
      subject: `${brand} のアカウントが削除されました`,
      lines: [
        `ご本人の操作により、${brand} のアカウント ${username} が削除されました(${time})。`,
        'すべての場所でログアウトされ、アプリのアクセス権はなくなり、あなたについて保存されていた情報は削除されました。',
      ],
      after: ['お心当たりがない場合は、すぐにこのサーバーの運営者に知らせてください。'],
    }),
    organization_invitation: ({ brand, organization, inviter }) => ({
      subject: `${brand} の組織への招待`,
      lines: [`${brand} の組織に参加するよう招待されています。`],
      facts: [
        ['組織', organization],
        ['招待者', inviter],
      ],
      button: '招待を見る',
      after: [
        'このリンクは7日以内に1回だけ使えます。',
        '参加を希望しない場合は、このメールを無視してください。',
      ],
    }),
    domain_missing: ({ brand, organization, domain, time }) => ({
      subject: `${brand}: ドメインの DNS レコードが見つかりません`,
      lines: [
        `${brand} の組織のドメインを証明する DNS レコードが見つかりません。`,
        `次の日時までにレコードが元に戻らない場合、組織はこのドメインを失います: ${time}`,
      ],
      facts: [
        ['組織', organization],
        ['ドメイン', domain],
      ],
      button: '組織を見る',
      after: [],
    }),
    domain_lost: ({ brand, organization, domain }) => ({
      subject: `${brand} の組織がドメインを失いました`,
      lines: [
        `${brand} の組織のドメインを証明する DNS レコードが7日間見つからなかったため、組織はこのドメインを失いました。`,
      ],
      facts: [
        ['組織', organization],
        ['ドメイン', domain],
      ],
      button: '組織を見る',
      after: ['取り戻すには、レコードを再び追加し、組織のページでドメインを確認してください。'],
    }),
  },
}
