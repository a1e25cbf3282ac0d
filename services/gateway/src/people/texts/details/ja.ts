import type { Texts } from './en.ts'

export const texts = {
  heading: '登録情報',
  lead: 'プロフィールの表示を許可したアプリに、この情報が渡されます。空欄の項目は誰にも表示されません。',
  addressByAdministrators: 'メールアドレスを変更できるのは管理者だけです。',
  save: '保存',
  yes: 'はい',
  no: 'いいえ',
  choices: { yes: 'はい', no: 'いいえ', none: '未設定', leave: (now) => `変更しない：${now}` },
  faults: {
    text: (label, most) => `「${label}」は、目に見える 1～${most} 文字のテキストで入力してください。`,
    picture: (label) => `「${label}」は、パスワードを含まない https の URL で入力してください。`,
    language: (label) => `「${label}」は、en や de-CH などの言語タグで入力してください。`,
    zone: (label) => `「${label}」は、Europe/Berlin などのタイムゾーンで入力してください。`,
  },
} satisfies Texts
