# %% [markdown]
# Review mining: sentiment and topic of hotel reviews, Q2

# %%
import pandas as pd
import torch
from transformers import pipeline

pd.set_option("display.width", 160)
SOURCE = "s3://analytics-raw/reviews/2025-q2.parquet"
TARGET = "reviews_scored.parquet"
TOPICS = ["cleanliness", "staff", "location", "breakfast", "noise", "price"]

# %%
df = pd.read_parquet(SOURCE, columns=["review_id", "hotel_id", "lang", "body", "stars"])
df = df[df["lang"] == "en"].dropna(subset=["body"])
df["body"] = df["body"].str.replace(r"\s+", " ", regex=True).str.strip()
df = df[df["body"].str.len().between(20, 4000)].reset_index(drop=True)
print(f"{len(df):,} reviews, {df['hotel_id'].nunique():,} hotels")

# %%
mood = pipeline(
    "text-classification",
    model="cardiffnlp/twitter-roberta-base-sentiment-latest",
    device=0,
    torch_dtype=torch.float16,
    truncation=True,
    max_length=256,
)


def to_score(out):
    sign = {"positive": 1.0, "neutral": 0.0, "negative": -1.0}[out["label"]]
    return sign * out["score"]


# %%
df["mood"] = [to_score(out) for out in mood(df["body"].tolist(), batch_size=128)]

# %%
for topic in TOPICS:
    df[topic] = df["body"].str.contains(topic[:6], case=False, regex=False)

by_hotel = df.groupby("hotel_id").agg(
    reviews=("review_id", "size"), mood=("mood", "mean"), stars=("stars", "mean")
)
by_hotel = by_hotel[by_hotel["reviews"] >= 25].sort_values("mood")
print(by_hotel.head(20))

# %%
print("correlation with stars:", df["mood"].corr(df["stars"]))
topic_mood = {t: df.loc[df[t], "mood"].mean() for t in TOPICS}
print(pd.Series(topic_mood).sort_values())

# %%
df.to_parquet(TARGET, index=False)
