from django.urls import path

from . import views

urlpatterns = [
    path("toxicity", views.toxicity),
    path("topic", views.TopicView.as_view()),
    path("language", views.LanguageView.as_view()),
]
