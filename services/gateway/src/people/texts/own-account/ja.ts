import type { OwnAccountTexts } from './en.ts'

/** The pages of what people do with their own data and their account as a whole, in Japanese. */
export const ownAccountJa: OwnAccountTexts = {
  heading: '保存されているあなたの情報',
  lastUsed: (time) => `最終使用 ${time}`,
  place: (city, country) => `${country} ${city}`,
  data: {
    title: 'データのダウンロード',
    lead: 'ここに保存されているあなたの情報をすべて収めたファイルです。登録情報、アカウントにアクセスできるアプリ、ログイン中の場所とログインの方法、過去 30 日間のログイン、あなたに送信されたメールが含まれます。',
    hint: 'ファイルは、プログラム向けですが人も読める JSON 形式です。パスワードやコードは含まれません。他の人に渡さないでください。',
    submit: 'ファイルをダウンロード',
  },
  deletion: {
    title: 'アカウントの削除',
    lead: 'この操作は取り消せません。管理者でもアカウントを元に戻すことはできません。',
    consequences: [
      'すべての場所でログアウトされます。',
      'アプリはすぐにアクセスできなくなります。アプリ自身が保存した情報はアプリ側に残ります。',
      '登録情報、パスキーなどのログイン方法、ログインの記録、メールは削除されます。',
    ],
    downloadFirst: '先にデータをダウンロードする',
    confirm: (user) => `確認のため、ユーザー名を入力してください：${user}`,
    label: 'ユーザー名',
    submit: 'アカウントを完全に削除',
    wrong: 'ユーザー名が違います。何も削除されていません。',
    lastOwner:
      'このサーバーのすべての管理権限を持つのはあなただけなので、アカウントを削除できません。先にほかの人にもすべての管理権限を与えてください。',
    off: 'このサーバーでは、アカウントを削除できるのは管理者だけです。',
  },
  deleted: {
    heading: 'アカウントを削除しました',
    lead: 'すべての場所でログアウトされ、アプリはアクセスできなくなりました。このページは閉じてかまいません。',
  },
  scopes: {
    email: 'メールアドレスの表示（登録したあと）',
    profile: 'ユーザー名の表示と、プロフィールの表示（入力したあと）',
  },
}
