import type { Texts } from './en.ts'

export const texts = {
  heading: 'ドメイン',
  lead: '組織は、DNS の TXT レコードでドメインが自分のものであることを証明します。それまで、ドメインはここでは何の意味も持ちません。',
  add: 'ドメインを追加',
  domain: 'ドメイン',
  submit: 'ドメインを追加',
  none: '組織にはまだドメインがありません。',
  states: {
    unproven: '未証明',
    proven: '証明済み',
    missing: 'レコードなし',
    lost: '失効',
  },
  record:
    'ドメインの DNS を管理している場所でこの TXT レコードを作成し、そのままにしてください。毎日確認されます。',
  recordName: '名前',
  recordValue: '値',
  provenAt: (time) => `証明: ${time}`,
  checkedAt: (time) => `最終確認: ${time}`,
  missingSince: (time) => `レコードは ${time} から見つかりません。7日後に組織はこのドメインを失います。`,
  lost: 'レコードが7日間見つかりませんでした。ドメインを取り戻すには、再び作成して確認してください。',
  check: '今すぐ確認',
  remove: '削除',
  removal: {
    title: (domain) => `${domain} を削除`,
    lead: '組織はこのドメインを失い、別の組織が証明できるようになります。',
    submit: 'ドメインを削除',
  },
  gone: '組織はもうこのドメインを持っていません。',
  problems: {
    invalid: 'example.com のようなドメインを入力してください。',
    publicSuffix:
      'このドメインの下には誰でもドメインを登録できるため、証明できません。ご自身のドメインを入力してください。',
    tooMany: '組織のドメイン数が上限に達しています。先にどれかを削除してください。',
    missing: 'レコードが見つかりませんでした。新しいレコードが見えるまで1時間ほどかかることがあります。',
    taken:
      'レコードはありますが、別の組織がこのドメインを持っています。先にその組織が削除する必要があります。',
    noAnswer: 'DNS が応答しませんでした。後でもう一度お試しください。',
    tooSoon: 'たった今確認したばかりです。10秒お待ちください。',
  },
} satisfies Texts
